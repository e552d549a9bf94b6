import { MAX_CONCURRENT } from './bulkhead-tools.js';
import { type BenchResult, check, type Measure } from './result.js';
import { ratioOf, spreadOf } from './statistics.js';

/** What else runs while the healthy downstream is called: nothing, or calls that hang, with a bulkhead or without. */
export const surroundings = ['calm', 'bounded', 'unbounded'] as const;

/** One of them. */
export type Surrounding = (typeof surroundings)[number];

/** The 95th percentile of the healthy calls' latencies in milliseconds, round by round. */
export type HealthyLatencies = Readonly<Record<Surrounding, number[]>>;

const names: Readonly<Record<Surrounding, string>> = {
  calm: 'calm',
  bounded: `another hangs, maxConcurrent ${MAX_CONCURRENT}`,
  unbounded: 'another hangs, without a bulkhead',
};
const MOST_TIMES = 1.2;

/** Puts the latencies of healthy calls beside a hanging downstream beside those in calm. */
export function bulkheadResult(
  latencies: HealthyLatencies,
  { slots, hanging, holdMs }: Readonly<Record<'slots' | 'hanging' | 'holdMs', number>>,
): BenchResult {
  const ratio = (surrounding: Surrounding): Measure => ({
    name: `p95: ${names[surrounding]} / calm`,
    unit: 'times',
    ...ratioOf(latencies[surrounding], latencies.calm),
  });
  const bounded = ratio('bounded');
  return {
    id: 'g',
    title: 'calls to a healthy downstream while another one hangs',
    measures: [
      ...surroundings.map((surrounding) => ({
        name: `p95: ${names[surrounding]}`,
        unit: 'ms',
        ...spreadOf(latencies[surrounding]),
      })),
      bounded,
      ratio('unbounded'),
    ],
    checks: [
      check({ name: bounded.name, value: bounded.median, rule: 'at most', limit: MOST_TIMES }),
    ],
    notes: [
      `One worker with ${slots} activity slots; ${hanging} workflows call a downstream that holds each call for`,
      `${holdMs} ms, again and again. Latency is what a workflow waits for one call: scheduled, run, its result back. It`,
      'is measured from some seconds after what hangs was started: so many workflows at once are a load of their own.',
      'Surroundings by turns on one server; a ratio is taken round by round, then its median. What hangs is answered in',
      'the end, so that no breaker helps. Workflows share the processor: where that is short, the ratio is its doing.',
    ],
  };
}
