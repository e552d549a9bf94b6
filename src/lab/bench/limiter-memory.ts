import { type LimiterContestant, openFreeLimiters, openPacedLimiters } from './limiter-contests.js';
import type { BenchOptions, Measure } from './result.js';
import { ratioOf, spreadOf, turned } from './statistics.js';

/** Measures limiters in memory: what an admission costs that needs no wait, and a crowd that waits. */
export async function measureMemory({ quick, log }: BenchOptions): Promise<readonly Measure[]> {
  const scale = quick
    ? { rounds: 2, admissions: 2_000, waiters: 50, longestMs: 50 }
    : { rounds: 15, admissions: 20_000, waiters: 5_000, longestMs: 500 };
  log('(e) admitted at once');
  const free = await measureByTurns(openFreeLimiters, scale.rounds, (contestant) =>
    admittedPerSecond(contestant, scale),
  );
  const crowdRounds = quick ? 1 : 2;
  log(`(e) ${scale.waiters} waiters`);
  const cpu = new Map<string, number[]>();
  const crowd = await measureByTurns(openPacedLimiters, crowdRounds, async (contestant) => {
    const { perSecond, cpuMicros } = await admitCrowd(contestant, scale.waiters);
    cpu.set(contestant.name, [...(cpu.get(contestant.name) ?? []), cpuMicros]);
    return perSecond;
  });
  return [
    ...measuresOf('admitted at once', '/s', free),
    ...measuresOf('a crowd that waits, 1,000 a second', '/s', crowd),
    ...measuresOf('a crowd that waits, CPU per admission', 'us', cpu),
  ];
}

type Figures = ReadonlyMap<string, readonly number[]>;

/** Each round has limiters of its own: none inherits what an earlier round has left. */
async function measureByTurns(
  open: () => readonly LimiterContestant[],
  rounds: number,
  measure: (contestant: LimiterContestant) => Promise<number>,
): Promise<Figures> {
  const figures = new Map<string, number[]>(open().map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contestant of turned(open(), round)) {
      figures.get(contestant.name)?.push(await measure(contestant));
      await contestant.close();
    }
  }
  return figures;
}

/** A slow limiter admits fewer in its turn. */
async function admittedPerSecond(
  { admit }: LimiterContestant,
  { admissions, longestMs }: { readonly admissions: number; readonly longestMs: number },
): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  while (done < admissions && performance.now() - startedAt < longestMs) {
    await admit();
    done += 1;
  }
  return (done * 1_000) / (performance.now() - startedAt);
}

async function admitCrowd({ admit }: LimiterContestant, waiters: number) {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  await Promise.all(Array.from({ length: waiters }, () => admit()));
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    perSecond: (waiters * 1_000) / (performance.now() - startedAt),
    cpuMicros: (user + system) / waiters,
  };
}

function measuresOf(name: string, unit: string, figures: Figures): readonly Measure[] {
  const [own = [], ...others] = [...figures.values()];
  const names = [...figures.keys()];
  return [
    ...[...figures].map(([who, rounds]) => ({
      name: `${name}: ${who}`,
      unit,
      ...spreadOf(rounds),
    })),
    ...others.map((rounds, index) => ({
      name: `${name}: holdfast / ${names[index + 1]}`,
      unit: 'times',
      ...ratioOf(own, rounds),
    })),
  ];
}
