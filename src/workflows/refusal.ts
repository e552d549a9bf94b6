import type { ErrorClass } from '../budget/classify-types.js';
import type { Fault } from '../budget/errors.js';
import { noSums } from '../contract/call-header.js';
import type { GovernedTool } from '../contract/governed-tool.js';
import type { ExhaustionReason, Unanswered } from '../contract/outcome.js';
import { callLine, refusedReport, unsharedCall } from './call-end.js';
import { countCall, stateOf } from './call-plan.js';
import { logDecision } from './decisions.js';
import { patchedOnce } from './patched-once.js';
import type { RunContext } from './run-context.js';
import { measureCall } from './run-metrics.js';
import { bookCall } from './run-state.js';

/** A call that ends before the gate. */
export type RefusedCall = {
  readonly tool: GovernedTool;
  readonly step: string | undefined;
  /** Number of the call that this one undoes. */
  readonly undoes?: number | undefined;
  readonly message: string;
};

/** Returns a fault of a call's arguments; runs that began before such arguments were refused go on as they began. */
export function refusable(run: RunContext, fault: Fault | undefined): Fault | undefined {
  if (fault === undefined || stateOf(run).mode !== 'on') return undefined;
  return patchedOnce(run, 'holdfast-arguments') ? fault : undefined;
}

/**
 * Ends a call whose input can't be right, before the gate: nothing is scheduled, no breaker counts it,
 * and no fallback hides it, since it is the caller's fault.
 */
export function refuseInput(run: RunContext, refused: RefusedCall): Unanswered {
  const { tool, message } = refused;
  logDecision({ tool, attempt: 1, decision: 'reject', reason: message });
  const how = { kind: 'failed', class: 'invalid-request', reason: 'not-retryable' } as const;
  return refuseCall(run, { ...refused, ...how, call: countCall(run) });
}

/** Ends a call that no person has allowed, before the gate. */
export function denyCall(
  run: RunContext,
  denied: RefusedCall & { readonly call: number; readonly reason: 'denied' | 'deadline' },
): Unanswered {
  const { tool, message } = denied;
  logDecision({ tool, attempt: 1, decision: 'denied', reason: message });
  return refuseCall(run, { ...denied, kind: 'denied', class: null });
}

function refuseCall(
  run: RunContext,
  refused: RefusedCall & {
    readonly call: number;
    readonly kind: Unanswered['kind'];
    readonly class: ErrorClass | null;
    readonly reason: ExhaustionReason;
  },
): Unanswered {
  const { kind, ...refusal } = refused;
  const report = refusedReport(unsharedCall(refused), { ...refusal, sums: noSums });
  const line = callLine(kind, report);
  run.state = bookCall(stateOf(run), { line, share: 0 });
  measureCall(run, refused.tool, line);
  return { kind, report };
}
