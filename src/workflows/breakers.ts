import {
  type Admission,
  admitCall,
  type BreakerEnd,
  type BreakerState,
  recordEnd,
} from '../budget/breaker.js';
import type { BreakerOptions } from '../budget/breaker-options.js';
import type { Sums } from '../contract/call-header.js';
import type { BreakerPolicy } from '../contract/policy.js';
import { stateOf } from './call-plan.js';
import type { RunContext } from './run-context.js';
import { recorderOf } from './run-metrics.js';
import { breakerOf } from './run-state.js';

/** An admission with the breaker that gave it. */
export type Ticket = {
  readonly downstream: string;
  readonly options: BreakerOptions;
  readonly admission: Admission;
};

/** Asks a downstream's breaker for a call and keeps its new state. */
export function admit(run: RunContext, downstream: string, policy: BreakerPolicy): Ticket {
  const options = breakerOptions(policy);
  const state = stateOf(run);
  const answer = admitCall(breakerOf(state, downstream), options, Date.now());
  keep(run, downstream, answer.state);
  return { downstream, options, admission: answer.admission };
}

/** Returns a breaker's figures as the breaker takes them. */
export function breakerOptions(policy: BreakerPolicy): BreakerOptions {
  const { consecutiveFailureThreshold, halfOpenAfterCalls, probeAfterMs } = policy;
  return { failureThreshold: consecutiveFailureThreshold, halfOpenAfterCalls, probeAfterMs };
}

/**
 * Counts a call's attempts into the breaker, one by one in their order; a call without any gives its
 * place back, so that a probe is never lost.
 */
export function countEnds(
  run: RunContext,
  ticket: Ticket,
  counted: { readonly sums: Sums; readonly succeeded: boolean },
): void {
  if (ticket.admission.kind === 'rejected') return;
  const ends: BreakerEnd['end'][] = [...counted.sums.failed].map((letter) =>
    letter === 'f' ? 'failure' : 'neutral',
  );
  if (counted.succeeded) ends.push('success');
  if (ends.length === 0) ends.push('neutral');
  const { generation } = ticket.admission;
  const state = stateOf(run);
  let breaker = breakerOf(state, ticket.downstream);
  for (const end of ends) {
    breaker = recordEnd(breaker, ticket.options, { generation, end, nowMs: Date.now() });
  }
  keep(run, ticket.downstream, breaker);
}

function keep(run: RunContext, downstream: string, breaker: BreakerState): void {
  const state = stateOf(run);
  const before = breakerOf(state, downstream);
  run.state = { ...state, breakers: { ...state.breakers, [downstream]: breaker } };
  if (breaker.kind === before.kind) return;
  recorderOf(run)('holdfast_breaker_changes_total', { downstream, to: breaker.kind });
}
