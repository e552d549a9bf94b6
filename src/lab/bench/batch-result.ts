import type { BatchResult } from '../../contract/batch.js';
import { type BenchResult, check } from './result.js';
import { spreadOf } from './statistics.js';

/** What a batch and the workflows beside it took. */
export type MeasuredBatch = {
  readonly items: number;
  readonly result: BatchResult;
  readonly batchPerSecond: number;
  /** Workflows a second that a client starts itself, before and after. */
  readonly startedPerSecond: readonly number[];
  readonly runs: number;
  /** Events in the longest history of the batch's runs. */
  readonly longest: number;
};

/** At this length of a history the server begins to warn; it ends a workflow at five times as many events. */
const WARNED_EVENTS = 10_240;

/** Puts what was measured beside its bounds. */
export function batchResult(measured: MeasuredBatch): BenchResult {
  const { items, result, batchPerSecond, startedPerSecond, runs, longest } = measured;
  return {
    id: 'h',
    title: `batch: ${items} items from a file, each a workflow that does nothing`,
    measures: [
      { name: 'batch', unit: 'items/s', ...spreadOf([batchPerSecond]) },
      { name: 'started by a client', unit: 'workflows/s', ...spreadOf(startedPerSecond) },
      { name: 'runs of the batch by continue-as-new', unit: 'runs', ...spreadOf([runs]) },
    ],
    checks: [
      check({ name: 'items answered', value: result.ok, rule: 'equal to', limit: items }),
      check({
        name: 'events in the longest history',
        value: longest,
        rule: 'at most',
        limit: WARNED_EVENTS,
      }),
    ],
    notes: [
      'A batch waits for what runs before it continues as new, and reads its file 100 lines at a time.',
      'The development server keeps every history in memory: it grows with the items.',
    ],
  };
}
