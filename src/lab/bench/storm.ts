import { EventQueue } from '../storm/event-queue.js';
import { createRandom } from '../storm/random.js';
import { type Scenario, scenarioDefaults } from '../storm/scenario.js';
import { simulate } from '../storm/simulate.js';
import { strategies } from '../storm/strategies/named.js';
import { ObjectHeap } from './object-heap.js';
import { type BenchOptions, type BenchResult, check } from './result.js';
import { ratioOf, spreadOf, turned } from './statistics.js';

const leastPerSecond = 1_000_000;
/** Events that wait at one time in the bare loops. */
const waiting = 10_000;

/** Measures the events a second of a storm, and its queue beside a heap of objects. */
export async function benchStorm({ quick, log }: BenchOptions): Promise<BenchResult> {
  const rounds = quick ? 3 : 9;
  const scenario: Scenario = {
    ...scenarioDefaults,
    seconds: quick ? 60 : 300,
    outage: { ...scenarioDefaults.outage, seconds: quick ? 20 : 100 },
  };
  const storms = { full: [] as number[], breaker: [] as number[] };
  const queue: number[] = [];
  const heap: number[] = [];
  const times = quick ? 200_000 : 1_000_000;
  for (let round = 0; round < rounds; round++) {
    log(`(j) round ${round + 1} of ${rounds}`);
    for (const name of ['full', 'breaker'] as const) {
      const startedAt = performance.now();
      const { events } = await simulate(scenario, strategies[name].create(scenario.attempts));
      if (round > 0) storms[name].push((events * 1_000) / (performance.now() - startedAt)); // the first one warms up
    }
    const sides = [
      () => queue.push(perSecond(times, loopOfQueue(times))),
      () => heap.push(perSecond(times, loopOfHeap(times))),
    ];
    for (const side of turned(sides, round)) side();
  }
  const full = spreadOf(storms.full);
  return {
    id: 'j',
    title: 'storm: events of the simulation',
    measures: [
      { name: 'a storm, full jitter', unit: 'events/s', ...full },
      { name: 'a storm, bounded with breakers', unit: 'events/s', ...spreadOf(storms.breaker) },
      { name: 'the queue of events alone', unit: 'events/s', ...spreadOf(queue) },
      { name: 'a heap of objects alone', unit: 'events/s', ...spreadOf(heap) },
      { name: 'queue / heap', unit: 'times', ...ratioOf(queue, heap) },
    ],
    checks: [
      check({
        name: 'events of a storm a second',
        value: full.median,
        rule: 'at least',
        limit: leastPerSecond,
      }),
    ],
    notes: [
      'A storm is the default one of holdfast storm, made longer; its events run the code of src/budget.',
      `Alone: an event is taken and another one planned, ${waiting} of them waiting.`,
    ],
  };
}

function perSecond(times: number, run: () => void): number {
  const startedAt = performance.now();
  run();
  return (times * 1_000) / (performance.now() - startedAt);
}

function loopOfQueue(times: number): () => void {
  const random = createRandom(1);
  const queue = new EventQueue();
  for (let subject = 0; subject < waiting; subject++) queue.plan(random.next(), 0, subject);
  return () => {
    for (let done = 0; done < times && queue.next(); done++) {
      queue.plan(queue.atMs + random.next(), 0, queue.subject);
    }
  };
}

function loopOfHeap(times: number): () => void {
  const random = createRandom(1);
  const heap = new ObjectHeap<{ readonly atMs: number; readonly subject: number }>();
  for (let subject = 0; subject < waiting; subject++) heap.push({ atMs: random.next(), subject });
  return () => {
    for (let done = 0; done < times; done++) {
      const event = heap.pop();
      if (event === undefined) return;
      heap.push({ atMs: event.atMs + random.next(), subject: event.subject });
    }
  };
}
