import { type Contest, type Contestant, decisionContests } from './decision-contests.js';
import type { BenchOptions, BenchResult, Measure } from './result.js';
import { ratioOf, spreadOf, turned } from './statistics.js';

/** How often to decide: so many times in each of so many rounds. */
export type Scale = { readonly rounds: number; readonly times: number };

/**
 * Measures what one decision of breaker and classification costs, beside the breakers of cockatiel and
 * opossum with a filter of errors in the classification's place.
 */
export async function benchDecisions({ quick, log }: BenchOptions): Promise<BenchResult> {
  const scale: Scale = quick ? { rounds: 5, times: 2_000 } : { rounds: 15, times: 5_000 };
  const measures: Measure[] = [];
  for (const contest of decisionContests()) {
    log(`(c) ${contest.name}`);
    measures.push(...(await measureContest(contest, scale)));
  }
  return {
    id: 'c',
    title: 'breaker and classification, per decision',
    measures,
    checks: [],
    notes: [
      'A decision is the admission of a call, the call (an async function) and the count of its end.',
      'On a failure holdfast reads the error, its headers and hints and classifies it;',
      'the others ask a filter for its status. A rejection is an Error there, a value here.',
      'opossum keeps no percentiles here; with its default of keeping them a failure costs far more.',
    ],
  };
}

/** Measures a contest's decisions, in rounds by turns: the microseconds of each, and the first one's beside each. */
export async function measureContest(
  { name, contestants }: Contest,
  scale: Scale,
): Promise<Measure[]> {
  const figures = new Map<Contestant, number[]>();
  for (const contestant of contestants) await microsecondsEach(contestant, scale.times);
  for (let round = 0; round < scale.rounds; round++) {
    for (const contestant of turned(contestants, round)) {
      const figure = await microsecondsEach(contestant, scale.times);
      figures.set(contestant, [...(figures.get(contestant) ?? []), figure]);
    }
  }
  const [own = [], ...others] = [...figures.values()];
  return [
    ...[...figures].map(([one, rounds]) => ({
      name: `${name}: ${one.name}`,
      unit: 'us',
      ...spreadOf(rounds),
    })),
    ...others.map((rounds, index) => ({
      name: `${name}: ${contestants[0]?.name} / ${contestants[index + 1]?.name}`,
      unit: 'times',
      ...ratioOf(own, rounds),
    })),
  ];
}

async function microsecondsEach({ decide }: Contestant, times: number): Promise<number> {
  const startedAt = performance.now();
  for (let done = 0; done < times; done++) await decide();
  return ((performance.now() - startedAt) * 1_000) / times;
}
