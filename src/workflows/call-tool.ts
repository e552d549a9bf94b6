import { type ActivityCancellationType, isCancellation, workflowInfo } from '@temporalio/workflow';
import { assertNever } from '../budget/assert-never.js';
import { describeFaults, type Fault } from '../budget/errors.js';
import type { AnyFallback } from '../contract/fallback.js';
import { callName } from '../contract/governed-tool.js';
import { isPlainObject, jsonCopy } from '../contract/json.js';
import { fingerprint, idempotencyKey, jsonFault } from '../contract/keys.js';
import type { Disabled, Outcome, Unanswered } from '../contract/outcome.js';
import { sizeFault } from '../contract/payload.js';
import { settledResultFaults } from '../contract/settled-result.js';
import { zodFaults } from '../contract/task-check.js';
import { type AnyCompensation, type AnyTool, compensationFaults } from '../contract/tool.js';
import { awaitApproval } from './approvals.js';
import type { BookedEnd } from './call-book.js';
import type { CallEnd } from './call-end.js';
import { runSettingsOf, stateOf } from './call-plan.js';
import { randomIdFault } from './child-workflows.js';
import { logDecision } from './decisions.js';
import { fallbackAnswer } from './fallback-answer.js';
import { patchedOnce } from './patched-once.js';
import { promised } from './promised.js';
import { refusable, refuseInput } from './refusal.js';
import type { RunContext } from './run-context.js';
import { showRun } from './run-index.js';
import { recorderOf } from './run-metrics.js';
import { bookFallback, countFallback } from './run-state.js';
import { currentSaga, registered } from './saga.js';
import type { CallIdentity } from './schedule.js';
import { toolActivity, toolActivityOptions } from './tool-activity.js';
import { callUngoverned } from './ungoverned-call.js';

/** A call as the library makes it. */
export type ToolCall = {
  readonly tool: AnyTool;
  readonly input: unknown;
  readonly occurrence?: string | undefined;
  readonly step?: string | undefined;
  /** Stands before the tool's own fallback. */
  readonly fallback?: AnyFallback | undefined;
  /** What undoes it. @default the tool's own */
  readonly compensate?: AnyCompensation | undefined;
  /** Number of the call that this one undoes. */
  readonly undoes?: number | undefined;
  /** Gets the end of a call that is cancelled. */
  readonly onCut?: ((end: BookedEnd) => void) | undefined;
  /** What the call's scope waits for when it is cancelled. @default nothing: the attempt is left behind */
  readonly cancellationType?: ActivityCancellationType | undefined;
  /** Tools whose fallbacks led here; none of them is asked again. */
  readonly asked?: readonly string[];
  /** True where an effect may have happened that this call stands in for: another write could double it. */
  readonly onlyReads?: boolean | undefined;
  /** True where the result stays in the store of conversations and only its hash comes back: a StoredResult. */
  readonly byReference?: boolean | undefined;
  /** Milliseconds before the run's deadline that the call leaves to others. */
  readonly reserveMs?: number | undefined;
};

/**
 * Calls a tool through the gate, and lets a fallback answer where it can't. Chained rather than awaited:
 * each promise in a workflow costs a stack trace.
 */
export function callTool<T>(run: RunContext, call: ToolCall): Promise<Outcome<T>> {
  return promised(() => callUndoably<T>(run, withModel(call))).then((outcome) =>
    outcome.kind === 'exhausted' || outcome.kind === 'rejected'
      ? fallBack(run, call, outcome)
      : outcome,
  );
}

/** All models are one activity: which one is asked stands in the input, also where it stands in for another. */
function withModel(call: ToolCall): ToolCall {
  const { input, tool } = call;
  if (tool.model === undefined || !isPlainObject(input)) return call;
  return { ...call, input: { ...input, model: tool.model } };
}

/** An undo isn't undone, and outside a saga nothing is. */
function callUndoably<T>(run: RunContext, call: ToolCall): Promise<Outcome<T>> {
  const { tool, step, undoes, compensate = tool.compensate } = call;
  const saga = currentSaga();
  if (saga === undefined || compensate === undefined || undoes !== undefined) {
    return callOnce(run, call);
  }
  const message = saga.refusesCalls
    ? `${tool.name} was called in a saga that is being undone.`
    : describeFaults(compensationFaults(compensate, `${tool.name}.compensate`));
  if (message !== '') return Promise.resolve(refuseInput(run, { tool, step, message }));
  return registered(saga, compensate, { toolCall: call, make: (made) => callOnce(run, made) });
}

async function fallBack<T>(
  run: RunContext,
  call: ToolCall,
  outcome: Unanswered,
): Promise<Outcome<T>> {
  const { tool, undoes, asked = [] } = call;
  const { report } = outcome;
  const { byReference, reserveMs } = call;
  const onlyReads = call.onlyReads === true || report.effectMayHaveHappened;
  const answer = await fallbackAnswer({
    call,
    onlyReads,
    ask: (other) =>
      callTool<unknown>(run, {
        ...other,
        undoes,
        asked: [...asked, callName(tool)],
        onlyReads,
        byReference,
        reserveMs,
      }),
  });
  if (answer === undefined) return outcome;
  const to = answer.kind === 'disabled' ? 'disabled' : answer.to;
  // In mode off nothing was booked that a fallback could mend.
  if (stateOf(run).mode !== 'off') noteFallback(run, outcome, to);
  const reason = `${report.reason}, to ${to}`;
  logDecision({ tool, attempt: report.attempts, decision: 'fall-back', reason });
  const degraded = { from: callName(tool), reason: report.reason };
  if (answer.kind === 'disabled') {
    const disabled: Disabled = { ...degraded, to: 'disabled', message: answer.message };
    return { ...outcome, report: { ...report, disabled } };
  }
  const value = answer.value as T; // the tool's output schema has taken it
  return { kind: 'degraded', value, ...degraded, to, report };
}

/** Books what stood in for a call's answer; runs that began before such answers were counted go on as they began. */
function noteFallback(run: RunContext, { kind, report }: Unanswered, to: string): void {
  const { call, tool } = report;
  if (to !== 'disabled') run.state = bookFallback(stateOf(run), call, kind);
  if (patchedOnce(run, 'holdfast-fallbacks')) {
    run.state = countFallback(stateOf(run), { from: tool, to });
  }
  showRun();
  recorderOf(run)('holdfast_ai_fallback_total', { tool, to, reason: report.reason });
}

function callOnce<T>(run: RunContext, call: ToolCall): Promise<Outcome<T>> {
  const { tool, step, undoes } = call;
  const identified = identify(run, call);
  switch (identified.kind) {
    case 'refused':
      return Promise.resolve(refuseInput(run, { tool, step, undoes, message: identified.message }));
    case 'guarded':
      return callApproved(run, call, identified);
    case 'identified':
      return schedule(run, { ...call, input: identified.input }, identified);
    default:
      return assertNever(identified);
  }
}

async function callApproved<T>(
  run: RunContext,
  toolCall: ToolCall,
  { identity, ...guarded }: Guarded,
): Promise<Outcome<T>> {
  const { tool, step, undoes } = toolCall;
  const approved = await awaitApproval(run, { ...guarded, tool, step, undoes });
  if (approved.kind !== 'approved') return approved;
  const { call, approval } = approved;
  const { input } = guarded;
  return schedule(run, { ...toolCall, input }, { identity: { ...identity, approval }, call });
}

/** A call that may run: what identifies it, and its number where it has one already. */
type Admissible = { readonly identity: CallIdentity; readonly call?: number };

function schedule<T>(
  run: RunContext,
  toolCall: ToolCall,
  { identity, call }: Admissible,
): Promise<Outcome<T>> {
  const { tool, step, input, undoes, onCut, byReference } = toolCall;
  const options = toolActivityOptions(run, toolCall);
  if (stateOf(run).mode === 'off') {
    const approved =
      identity.approval === null ? undefined : { tool, step, call, adopted: false, identity };
    const go = (): Promise<unknown> => toolActivity(tool, approved, options)(input);
    return callUngoverned<T>({ tool, step, call, schedule: go });
  }
  let end: CallEnd | undefined;
  const request = {
    tool,
    step,
    call,
    undoes,
    onCut,
    adopted: false,
    identity,
    byReference,
    resultFaults: (value: unknown) => settledResultFaults(tool, value),
    onEnd: (reached: CallEnd) => {
      end = reached;
    },
  };
  return toolActivity(
    tool,
    request,
    options,
  )(input).then(
    (value): Outcome<T> => {
      if (end?.kind !== 'ok') throw new Error(`The gate answered ${tool.name} without its report.`);
      return { kind: 'ok', value: value as T, report: end.report }; // the worker's output schema has taken it
    },
    (error: unknown) => {
      if (isCancellation(error) || end === undefined || end.kind === 'ok') throw error;
      return end;
    },
  );
}

/** A call that may be sent: what the fingerprint was made of, whatever the caller's own object is by then. */
type Sendable = { readonly identity: CallIdentity; readonly input: unknown };

/** A call that waits for a person: what is shown is what is sent. */
type Guarded = Sendable & {
  readonly key: string;
  readonly fingerprint: string;
  readonly timeoutMs: number;
};

type Identified =
  | ({ readonly kind: 'identified' } & Sendable)
  | ({ readonly kind: 'guarded' } & Guarded)
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Checks a call's input and makes its key. Whatever the tool's own functions throw there refuses the call:
 * a plain throw in a workflow would repeat its task for ever.
 */
function identify(run: RunContext, call: ToolCall): Identified {
  const { tool, input } = call;
  const fault = tool.effect === 'read' ? undefined : randomIdFault();
  if (fault !== undefined) return { kind: 'refused', message: describeFaults([fault]) };
  try {
    // A schema is compiled by its first parse otherwise, which a run that parses once never earns back.
    const parsed = tool.input.safeParse(input, { jitless: true });
    const field = `${tool.name}.input`;
    if (!parsed.success) return refused(zodFaults(parsed.error, input, field));
    // What isn't JSON, or is too large for the server, would fail the workflow's task again and again.
    const { maxPayloadBytes } = runSettingsOf(run);
    const fault =
      input === undefined
        ? undefined
        : (jsonFault(field, input) ?? refusable(run, sizeFault(field, input, maxPayloadBytes)));
    return fault === undefined ? identified(call) : refused([fault]);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'refused', message: `${tool.name}: ${message}` };
  }
}

function refused(faults: readonly Fault[]): Identified {
  return { kind: 'refused', message: describeFaults(faults) };
}

/**
 * Returns the idempotency key of a call.
 * @throws what the tool's own `identity` throws, and InvalidRequestError where JSON can't carry it
 */
export function keyOf({ tool, input, occurrence }: ToolCall): string {
  const { namespace, workflowId } = workflowInfo();
  const identity: unknown = tool.identity === undefined ? input : tool.identity(input);
  return idempotencyKey({ namespace, workflowId, tool: tool.name, identity, occurrence });
}

function identified(call: ToolCall): Identified {
  const { tool, input } = call;
  const key = keyOf(call);
  const isClaimed = tool.effect !== 'read' || tool.approval !== undefined;
  const print = isClaimed ? fingerprint([input]) : null;
  const sent = isClaimed ? jsonCopy(input) : input;
  const ownIdentity = tool.identity !== undefined;
  // An undo's occurrence is the key of what it takes back.
  const undoes = call.undoes === undefined ? undefined : call.occurrence;
  const identity = { key, fingerprint: print, ownIdentity, approval: null, undoes };
  const { approval } = tool;
  // Only a clear no of the tool's lets a call pass unasked.
  if (approval === undefined || print === null || approval.when?.(input) === false) {
    return { kind: 'identified', identity, input: sent };
  }
  const { timeoutMs } = approval;
  return { kind: 'guarded', identity, input: sent, key, fingerprint: print, timeoutMs };
}
