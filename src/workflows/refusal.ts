import { noSums } from '../contract/call-header.js';
import type { GovernedTool } from '../contract/governed-tool.js';
import type { Unanswered } from '../contract/outcome.js';
import { callLine, refusedReport, unsharedCall } from './call-end.js';
import { stateOf } from './call-plan.js';
import { logDecision } from './decisions.js';
import type { RunContext } from './run-context.js';
import { bookCall } from './run-state.js';

/**
 * Ends a call whose input can't be right, before the gate: nothing is scheduled, no breaker counts it,
 * and no fallback hides it, since it is the caller's fault.
 */
export function refuseInput(
  run: RunContext,
  refused: {
    readonly tool: GovernedTool;
    readonly step: string | undefined;
    readonly message: string;
  },
): Unanswered {
  const { tool, step, message } = refused;
  const state = stateOf(run);
  const call = unsharedCall({ call: state.calls + 1, step, tool });
  const report = refusedReport(call, {
    sums: noSums,
    class: 'invalid-request',
    message,
    reason: 'not-retryable',
  });
  run.state = bookCall(
    { ...state, calls: call.call },
    { line: callLine('failed', report), share: 0 },
  );
  logDecision({ tool, attempt: 1, decision: 'reject', reason: message });
  return { kind: 'failed', report };
}
