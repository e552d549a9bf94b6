import { setImmediate } from 'node:timers/promises';
import { EventQueue } from '../event-queue.js';
import { createRandom } from '../random.js';
import type { Wait } from '../strategies/strategy.js';
import { backoffWaits, equalJitterWaits, fixedWaits } from '../strategies/waits.js';
import { type Figure, figureOf, type Study, type StudyOptions } from './figure.js';

const clients = 100;
const net = { meanMs: 10, deviationMs: 2 };
const envelope = { baseMs: 5, capMs: 2_000 };
const publishedRuns = 100;
const happens = { read: 0, write: 1 } as const;

/** The study's strategies, with the mean completion in milliseconds and the mean calls that it found (V96). */
const contestants = [
  { name: 'Exponential', waitMs: backoffWaits(envelope, 'none'), published: [63_696, 1_858] },
  { name: 'Decorr', waitMs: backoffWaits(envelope, 'decorrelated'), published: [4_594, 1_003] },
  { name: 'EqualJitter', waitMs: equalJitterWaits(envelope), published: [6_540, 812] },
  { name: 'FullJitter', waitMs: backoffWaits(envelope, 'full'), published: [4_955, 796] },
  { name: 'None', waitMs: fixedWaits(0), published: [2_018, 2_417] },
] as const;

type Contest = { readonly completionMs: number; readonly calls: number };

/** Runs the study of clients that change one row, each by reading its version and writing the next one. */
export async function reproduceContention(options: StudyOptions): Promise<Study> {
  const { seed, runs = publishedRuns, onProgress } = options;
  const figures: Figure[] = [];
  for (const { name, waitMs, published } of contestants) {
    onProgress?.(name);
    const contests: Contest[] = [];
    for (let run = 0; run < runs; run++) {
      contests.push(runContest(seed + run, waitMs));
      await setImmediate();
    }
    const completions = contests.map(({ completionMs }) => completionMs);
    const calls = contests.map((contest) => contest.calls);
    const common = { publishedRuns };
    figures.push(
      figureOf({
        ...common,
        name: `${name}: until all have written`,
        unit: 'ms',
        values: completions,
        published: published[0],
      }),
      figureOf({
        ...common,
        name: `${name}: writes`,
        unit: 'calls',
        values: calls,
        published: published[1],
      }),
    );
  }
  return {
    name: 'contention',
    title: 'Contention of 100 clients for one row (V96)',
    source: 'github.com/aws-samples/aws-arch-backoff-simulator',
    setting:
      'Optimistic locking; network |N(10, 2)| ms each way; base 5 ms, cap 2,000 ms; Exponential is none here.',
    figures,
  };
}

function runContest(seed: number, waitMs: (wait: Wait) => number): Contest {
  const random = createRandom(seed);
  const events = new EventQueue();
  const delayMs = (): number => Math.abs(random.normal(net.meanMs, net.deviationMs));
  const versions = new Float64Array(clients);
  const failures = new Uint32Array(clients);
  const waited = new Map<number, number>();
  let version = 0;
  let calls = 0;
  let completionMs = 0;
  for (let client = 0; client < clients; client++) events.plan(delayMs(), happens.read, client);
  while (events.next()) {
    const { atMs, subject: client } = events;
    if (events.kind === happens.read) {
      versions[client] = version;
      events.plan(atMs + delayMs() + delayMs(), happens.write, client);
      continue;
    }
    calls += 1;
    if (versions[client] === version) {
      version += 1;
      completionMs = Math.max(completionMs, atMs + delayMs());
      continue;
    }
    const retry = (failures[client] ?? 0) + 1; // the study begins at base · 2
    failures[client] = retry;
    const delay = waitMs({ retry, previousMs: waited.get(client), random });
    waited.set(client, delay);
    events.plan(atMs + delayMs() + delayMs() + delay, happens.read, client);
  }
  return { completionMs, calls };
}
