import { performance } from 'node:perf_hooks';
import { createBulkhead } from '../limits/bulkhead.js';
import type { Limiter } from '../limits/limiter.js';
import type { RetryBudget } from '../limits/retry-budget.js';
import { type Recorder, recordNothing } from '../telemetry/recorder.js';
import { logVerdict } from './attempt-log.js';
import { createWatchedBreaker, type WatchedBreaker } from './breaker-watch.js';
import { createDecidedRetries } from './decided-retries.js';
import { watchLimiter } from './limiter-watch.js';
import { type GuardedAttempt, Passage } from './passage.js';
import { breakerOpen } from './refused-attempt.js';

/** What a worker's guard is made of. */
export type DownstreamGuardOptions = {
  readonly limiter: Limiter;
  readonly retryBudget: RetryBudget;
  /** A monotonic clock in milliseconds. @default performance.now */
  readonly now?: () => number;
  /** A source of chance in [0, 1). @default Math.random */
  readonly random?: () => number;
  /** @default nothing is measured */
  readonly measure?: Recorder;
};

/** What one worker knows of its downstreams, for all runs together. */
export type DownstreamGuard = {
  /**
   * Asks the worker's breaker for the downstream of an attempt.
   * @throws RefusedAttemptError where it is open
   */
  readonly enter: (attempt: GuardedAttempt) => Passage;
};

/** Makes the guard of one worker. */
export function createDownstreamGuard({
  limiter,
  retryBudget,
  now = () => performance.now(),
  random = Math.random,
  measure = recordNothing,
}: DownstreamGuardOptions): DownstreamGuard {
  const breakers = new Map<string, WatchedBreaker>();
  const breakerOf = (downstream: string): WatchedBreaker => {
    const breaker = breakers.get(downstream) ?? createWatchedBreaker(downstream, measure);
    breakers.set(downstream, breaker);
    return breaker;
  };
  const decided = createDecidedRetries();
  const shared = {
    bulkhead: createBulkhead(),
    limiter: watchLimiter(limiter),
    retryBudget,
    decided,
    random,
    now,
    measure,
  };
  return {
    enter: (attempt) => {
      const { context, header } = attempt;
      const { downstream, workerBreaker: options, mode } = header;
      const charge = decided.take(context.info);
      const breaker = breakerOf(downstream);
      const admission = breaker.admit(options, now());
      if (admission.kind === 'rejected' && mode === 'on') {
        charge?.refund();
        throw breakerOpen(downstream, admission);
      }
      if (admission.kind === 'rejected') {
        const reason = 'breaker-open';
        logVerdict(attempt, { attempt: attempt.attempt, decision: 'would-reject', reason });
        return new Passage(attempt, { ...shared, charge, tellBreaker: () => {} });
      }
      const { generation } = admission;
      return new Passage(attempt, {
        ...shared,
        charge,
        tellBreaker: (end) => breaker.record(options, { generation, end, nowMs: now() }),
      });
    },
  };
}
