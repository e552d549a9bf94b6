import { condition, workflowInfo } from '@temporalio/workflow';
import type { ApprovalGiven } from '../contract/call-header.js';
import type { Decision, WaitingApproval } from '../contract/messages.js';
import type { Unanswered } from '../contract/outcome.js';
import type { AnyTool } from '../contract/tool.js';
import { countCall, settingsOf } from './call-plan.js';
import { logDecision } from './decisions.js';
import { personsWord } from './person-wait.js';
import { denyCall } from './refusal.js';
import type { RunContext } from './run-context.js';
import type { Said } from './waitlist.js';

/** A call that may not run before a person has allowed it. */
export type GuardedCall = {
  readonly tool: AnyTool;
  readonly step: string | undefined;
  /** Number of the call that this one undoes. */
  readonly undoes?: number | undefined;
  /** The very arguments that will be sent. */
  readonly input: unknown;
  readonly key: string;
  readonly fingerprint: string;
  readonly timeoutMs: number;
};

/** What a person made of it. `call` is its number in the run. */
export type Approved =
  | { readonly kind: 'approved'; readonly call: number; readonly approval: ApprovalGiven }
  | Unanswered;

/**
 * Waits until a person allows or refuses a call, or until its time is over: then it is denied. Throws only
 * when it is cancelled.
 */
export async function awaitApproval(run: RunContext, guarded: GuardedCall): Promise<Approved> {
  const { tool, step, undoes, key, fingerprint } = guarded;
  const call = countCall(run);
  const timeoutMs = Math.ceil(guarded.timeoutMs);
  const shown: WaitingApproval = {
    callId: String(call),
    tool: tool.name,
    ...(step === undefined ? {} : { step }),
    description: tool.description,
    input: guarded.input,
    key,
    fingerprint,
    requestedAt: Date.now(),
    deadlineAt: Date.now() + timeoutMs,
  };
  logDecision({ tool, attempt: 1, decision: 'ask-person', reason: `approval of call ${call}` });
  const said = await personsWord(run, {
    list: run.people.approvals,
    waiting: { id: shown.callId, shown, deciders: settingsOf(run, tool).call.deciders },
    notice: { kind: 'approval', ...shown },
    until: (isSaid) => condition(isSaid, timeoutMs),
  });
  if (said?.word.approve !== true) {
    const reason = said === undefined ? 'deadline' : 'denied';
    return denyCall(run, { tool, step, undoes, call, reason, message: denial(shown, said) });
  }
  logDecision({ tool, attempt: 1, decision: 'approved', reason: `by ${said.word.by}` });
  // Unlike the call's number, the time of the decision is another one after a reset to before it.
  const { namespace, workflowId } = workflowInfo();
  const id = `${namespace}/${workflowId}/${call}/${said.at}`;
  return { kind: 'approved', call, approval: { id, key, fingerprint } };
}

function denial(
  { tool, callId, deadlineAt }: WaitingApproval,
  said: Said<Decision> | undefined,
): string {
  if (said === undefined) {
    return `Nobody approved call ${callId} of ${tool} by ${new Date(deadlineAt).toISOString()}.`;
  }
  const { by, note } = said.word;
  return `${by} denied call ${callId} of ${tool}${note === undefined ? '.' : `: ${note}`}`;
}
