import type { ActivityInput } from '@temporalio/workflow';
import { BreakerOpenError, describeFaults, type Fault } from '../budget/errors.js';
import { reserve } from '../budget/retry-pool.js';
import { noSums } from '../contract/call-header.js';
import { callName, type GovernedTool } from '../contract/governed-tool.js';
import { admit, countEnds, type Ticket } from './breakers.js';
import { callLine, type OpenCall, type Refusal, refusedReport, unsharedCall } from './call-end.js';
import { callShare, countCall, plannedNode, settingsOf, stateOf } from './call-plan.js';
import { logDecision } from './decisions.js';
import type { GateCall } from './gate-call.js';
import { gateFailure } from './gate-failure.js';
import { GovernedCall } from './governed-call.js';
import { patchedOnce } from './patched-once.js';
import { promised } from './promised.js';
import { refuseInput } from './refusal.js';
import { type RunContext, runContext } from './run-context.js';
import { measureCall } from './run-metrics.js';
import { bookCall, taskTimeLeftMs } from './run-state.js';
import { ownMaxRetries } from './schedule.js';
import { tokenAllowance } from './token-allowance.js';
import { undoContext } from './undo-state.js';

/**
 * The one gate that every governed call passes, by whichever door it comes: the breaker admits it, the
 * pool promises it a share, the server makes its attempts, and what they did is booked.
 * Returns what the activity returned; throws the activity's failure, a synthetic one where the call was
 * refused (nothing is scheduled then), or the cancellation.
 */
export function govern(
  gateCall: GateCall,
  input: ActivityInput,
  next: (input: ActivityInput) => Promise<unknown>,
): Promise<unknown> {
  // A caller may start a call now and await it later, as it may with a plain activity.
  return promised(() => governed(gateCall, input, next));
}

function governed(
  gateCall: GateCall,
  input: ActivityInput,
  next: (input: ActivityInput) => Promise<unknown>,
): Promise<unknown> {
  const run = gateCall.undoes === undefined ? runContext() : undoContext(runContext());
  const { tool, fault } = gateCall;
  if (fault !== undefined && stateOf(run).mode === 'on')
    throw refuseArguments(run, gateCall, fault);
  const ticket = admit(run, tool.downstream, settingsOf(run, tool).downstream.breaker);
  const call = openCall(run, gateCall);
  const refusal = refusalOf(run, { ticket, tool });
  if (refusal !== undefined && stateOf(run).mode === 'observe') {
    logDecision({ tool, attempt: 1, decision: 'would-reject', reason: refusal.reason });
  }
  if (refusal !== undefined && stateOf(run).mode === 'on') {
    countEnds(run, ticket, { sums: noSums, succeeded: false });
    const report = refusedReport(call, refusal);
    const line = callLine('rejected', report);
    run.state = bookCall(stateOf(run), { line, share: 0 });
    measureCall(run, tool, line);
    logDecision({ tool, attempt: 1, decision: 'reject', reason: refusal.reason });
    gateCall.onEnd?.({ kind: 'rejected', report });
    throw gateFailure(input.activityType, report);
  }
  const isClaimed = isLedgers(run, gateCall);
  const shared = promiseShare(run, { gateCall, call, ticket, input });
  run.open.set(shared.call, shared);
  return new GovernedCall(run, { gateCall, ticket, call: shared, isClaimed }).run(input, next);
}

/** Ends a plain activity call whose arguments can't be right, before anything is counted or scheduled. */
function refuseArguments(run: RunContext, gateCall: GateCall, fault: Fault): Error {
  const { tool, step } = gateCall;
  const end = refuseInput(run, { tool, step, message: describeFaults([fault]) });
  gateCall.onEnd?.(end);
  return gateFailure(tool.name, end.report, 'invalid-request');
}

function openCall(run: RunContext, gateCall: GateCall): OpenCall {
  const { tool, step, undoes, identity, call = countCall(run) } = gateCall;
  const { key } = identity;
  const isKeyed = tool.effect !== 'read' && key !== null;
  return unsharedCall({ call, step, undoes, tool, ...(isKeyed ? { key } : {}) });
}

/** Tells whether the ledger decides what becomes of a call; runs that began before it was there go on as they began. */
function isLedgers(run: RunContext, { tool, identity }: GateCall): boolean {
  if (tool.effect === 'read' || identity.key === null || stateOf(run).mode !== 'on') return false;
  return patchedOnce(run, 'holdfast-ledger');
}

function refusalOf(
  run: RunContext,
  { ticket, tool }: { readonly ticket: Ticket; readonly tool: GovernedTool },
): Refusal | undefined {
  const nothing = { sums: noSums, class: null };
  const { admission, downstream } = ticket;
  if (admission.kind === 'rejected') {
    const { message } = new BreakerOpenError(downstream, admission.rejectionsLeft);
    return { ...nothing, reason: 'breaker-open', message };
  }
  if (taskTimeLeftMs(stateOf(run), Date.now()) >= 1) return undefined;
  const message = `The task's deadline had passed before ${callName(tool)} was called.`;
  return { ...nothing, reason: 'deadline', message };
}

/** Takes the call's share out of the pool at once: parallel calls can't be promised the same retry. */
function promiseShare(
  run: RunContext,
  asked: {
    readonly gateCall: GateCall;
    readonly call: OpenCall;
    readonly ticket: Ticket;
    readonly input: ActivityInput;
  },
): OpenCall {
  const { gateCall, call, ticket, input } = asked;
  const { tool, step, adopted } = gateCall;
  const planned = plannedNode(stateOf(run), tool, step);
  const isProbe = ticket.admission.kind === 'admitted' && ticket.admission.probe;
  const maxRetries = adopted ? ownMaxRetries(input.options) : tool.maxRetries;
  const { share, wanted } = callShare(run, { tool, planned, isProbe, maxRetries });
  const allowance = tokenAllowance(run, { tool, share, input: input.args[0] });
  const state = stateOf(run);
  run.state = {
    ...state,
    pool: reserve(state.pool, allowance.share),
    planned: state.planned.filter((one) => one !== planned),
  };
  // An ordinary admission is logged by the attempt that it lets through, where a line costs less.
  if (isProbe) logDecision({ tool, attempt: 1, decision: 'probe', reason: 'the breaker was open' });
  return { ...call, ...allowance, wanted };
}
