import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PostgresServer } from '../postgres-server.js';
import type { BenchOptions, Measure } from './result.js';
import { ratioOf, spreadOf, turned } from './statistics.js';

const kinds = {
  holdfast: 'holdfast',
  flexible: 'rate-limiter-flexible',
  'flexible-not-waiting': 'rate-limiter-flexible with synchronous_commit=off',
} as const;

type Kind = keyof typeof kinds;
type Team = { readonly kind: Kind; readonly children: readonly ChildProcess[] };

/** Measures admissions under one key by several processes at once, each kind on a database of its own. */
export async function measureProcesses(
  server: PostgresServer,
  { quick, log }: BenchOptions,
): Promise<readonly Measure[]> {
  const { processes, rounds, admissions } = quick
    ? { processes: 2, rounds: 2, admissions: 50 }
    : { processes: 4, rounds: 11, admissions: 500 };
  const teams: Team[] = [];
  const rates = new Map<Kind, number[]>();
  try {
    teams.push(await startTeam('holdfast', processes, server));
    teams.push(await startTeam('flexible', processes, server));
    teams.push(await startTeam('flexible-not-waiting', processes, server));
    for (const team of teams) await perSecond(team, admissions); // warms up
    for (let round = 0; round < rounds; round++) {
      log(`(e) PostgreSQL, ${processes} processes: round ${round + 1} of ${rounds}`);
      for (const team of turned(teams, round)) {
        rates.set(team.kind, [...(rates.get(team.kind) ?? []), await perSecond(team, admissions)]);
      }
    }
  } finally {
    await Promise.all(teams.flatMap(({ children }) => children.map(endChild)));
  }
  const name = `PostgreSQL, ${processes} processes`;
  const ratesOf = (kind: Kind): readonly number[] => rates.get(kind) ?? [];
  return [
    ...teams.map(({ kind }) => ({
      name: `${name}: ${kinds[kind]}`,
      unit: '/s',
      ...spreadOf(ratesOf(kind)),
    })),
    ...(['flexible', 'flexible-not-waiting'] as const).map((kind) => ({
      name: `${name}: holdfast / ${kinds[kind]}`,
      unit: 'times',
      ...ratioOf(ratesOf('holdfast'), ratesOf(kind)),
    })),
  ];
}

async function startTeam(kind: Kind, processes: number, server: PostgresServer): Promise<Team> {
  const url = await server.createDatabase();
  const children: ChildProcess[] = [];
  // one after the other: the first one makes the tables
  for (let started = 0; started < processes; started++) children.push(await startChild(kind, url));
  return { kind, children };
}

async function startChild(kind: Kind, url: string): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./limiter-process.js', import.meta.url));
  const child = fork(script, [kind, url]);
  await messageOf(child);
  return child;
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}

async function perSecond({ children }: Team, admissions: number): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    children.map(async (child) => {
      const done = messageOf(child);
      child.send(admissions);
      await done;
    }),
  );
  return (children.length * admissions * 1_000) / (performance.now() - startedAt);
}

/** Waits for a message; a child that ends before it sends one is an error. */
async function messageOf(child: ChildProcess): Promise<void> {
  const waits = new AbortController();
  const { signal } = waits;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`a process of the limiter's benchmark ended with ${code}`);
  });
  try {
    await Promise.race([once(child, 'message', { signal }), ended]);
  } finally {
    ended.catch(() => {}); // it is given up in the next line
    waits.abort();
  }
}
