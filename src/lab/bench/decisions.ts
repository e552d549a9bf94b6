import { type Contest, type Contestant, decisionContests } from './decision-contests.js';
import type { BenchOptions, BenchResult, Measure } from './result.js';
import { ratioOf, spreadOf, turned } from './statistics.js';

type Scale = { readonly rounds: number; readonly times: number };

/**
 * Measures what one decision of breaker and classification costs, beside the breakers of cockatiel and
 * opossum with a filter of errors in the classification's place.
 */
export async function benchDecisions({ quick, log }: BenchOptions): Promise<BenchResult> {
  const scale: Scale = quick ? { rounds: 5, times: 2_000 } : { rounds: 15, times: 20_000 };
  const measures: Measure[] = [];
  for (const contest of decisionContests()) {
    log(`(c) ${contest.name}`);
    measures.push(...(await measure(contest, scale)));
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
    ],
  };
}

async function measure({ name, contestants }: Contest, scale: Scale): Promise<Measure[]> {
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
      name: `${name}: holdfast / ${contestants[index + 1]?.name}`,
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
