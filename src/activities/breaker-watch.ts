import { WorkerBreaker } from '../budget/worker-breaker.js';
import type { Recorder } from '../telemetry/recorder.js';

/** A worker's breaker whose changes are measured. */
export type WatchedBreaker = Pick<WorkerBreaker, 'admit' | 'record'>;

/** Makes the breaker of a downstream; from its first call on it shows, so that one that never opens can be told. */
export function createWatchedBreaker(downstream: string, measure: Recorder): WatchedBreaker {
  const breaker = new WorkerBreaker();
  const show = (): void =>
    measure('holdfast_worker_breaker_open', { downstream }, breaker.kind === 'closed' ? 0 : 1);
  const watched = <T>(change: () => T): T => {
    const before = breaker.kind;
    const answer = change();
    if (breaker.kind !== before) {
      measure('holdfast_worker_breaker_changes_total', { downstream, to: breaker.kind });
      show();
    }
    return answer;
  };
  show();
  return {
    admit: (options, nowMs) => watched(() => breaker.admit(options, nowMs)),
    record: (options, end) => watched(() => breaker.record(options, end)),
  };
}
