import { admitCall, type BreakerState, initialBreaker, recordEnd } from './breaker.js';
import { type BreakerOptions, checkBreakerOptions } from './breaker-options.js';
import { type Fault, throwFaults } from './errors.js';
import { faultsOf, rules } from './rules.js';

/** The options of a breaker in a script, where no time passes. */
export type TraceOptions = Omit<BreakerOptions, 'probeAfterMs'>;

/** What a breaker did with a script of calls. */
export type BreakerTrace = {
  readonly allowed: number;
  readonly rejected: number;
  /** Calls that were sent: one attempt for each allowed call. */
  readonly attempts: number;
  readonly finalState: BreakerState['kind'];
  /** The state after each call. */
  readonly states: readonly BreakerState['kind'][];
};

/**
 * Returns what a fresh breaker does with calls that come one after another: each entry says whether
 * the call would succeed, and a rejected call uses up its entry too.
 * Throws `InvalidRequestError` for invalid options, or entries that aren't true or false.
 */
export function traceBreaker(options: TraceOptions, calls: readonly boolean[]): BreakerTrace {
  checkBreakerOptions(options);
  checkCalls(calls);
  // No clock, no probe by time, even where the options of a live breaker are handed in.
  const { failureThreshold, halfOpenAfterCalls } = options;
  const counting = { failureThreshold, halfOpenAfterCalls };
  const nowMs = 0;
  let state = initialBreaker();
  let allowed = 0;
  const states: BreakerState['kind'][] = [];
  for (const succeeds of calls) {
    const answer = admitCall(state, counting, nowMs);
    state = answer.state;
    if (answer.admission.kind === 'admitted') {
      allowed += 1;
      const { generation } = answer.admission;
      const end = succeeds ? 'success' : 'failure';
      state = recordEnd(state, counting, { generation, end, nowMs });
    }
    states.push(state.kind);
  }
  const rejected = calls.length - allowed;
  return { allowed, rejected, attempts: allowed, finalState: state.kind, states };
}

function checkCalls(calls: readonly boolean[]): void {
  if (!Array.isArray(calls)) {
    throwFaults([{ field: 'calls', rule: 'must be a list of outcomes', value: calls }]);
  }
  const faults: Fault[] = [];
  for (const [index, value] of calls.entries()) {
    faults.push(...faultsOf(`calls[${index}]`, value, rules.boolean));
  }
  throwFaults(faults);
}
