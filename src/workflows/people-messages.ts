import type { UpdateDefinition } from '@temporalio/common';
import { defineQuery, defineUpdate, setHandler } from '@temporalio/workflow';
import type { Fault } from '../budget/errors.js';
import { showValue } from '../budget/show-value.js';
import { answerFaults, decisionFaults, settlementFaults } from '../contract/message-check.js';
import {
  type Answer,
  type AnswerReceipt,
  type Decision,
  type DecisionReceipt,
  queries,
  type Settlement,
  type SettlementReceipt,
  updates,
  type WaitingApproval,
  type WaitingQuestion,
  type WaitingSettlement,
} from '../contract/messages.js';
import { refuseFaults, refuseMessage } from './message-refusal.js';
import type { RunContext } from './run-context.js';
import { taskTimeLeftMs } from './run-state.js';
import type { Waiting, Waitlist } from './waitlist.js';

const decide = defineUpdate<DecisionReceipt, [Decision]>(updates.decide);
const settle = defineUpdate<SettlementReceipt, [Settlement]>(updates.settle);
const answer = defineUpdate<AnswerReceipt, [Answer]>(updates.answer);
const approvals = defineQuery<WaitingApproval[]>(queries.approvals);
const questions = defineQuery<WaitingQuestion[]>(queries.questions);
const unknowns = defineQuery<WaitingSettlement[]>(queries.unknowns);

/** Lets a run hear what people decide, settle and answer, and say what waits for them. */
export function hearPeople(run: RunContext): void {
  const { people } = run;
  setHandler(approvals, () => people.approvals.shown(), {
    description: 'Calls that wait for a yes, with their exact arguments',
  });
  setHandler(questions, () => people.questions.shown(), {
    description: 'Questions that wait for an answer',
  });
  setHandler(unknowns, () => people.settlements.shown().map((shown) => dated(run, shown)), {
    description: 'Writes that may have happened and wait for somebody who knows',
  });
  hear(decide, decisionOf(run));
  hear(settle, settlementOf(run));
  hear(answer, answerOf(run));
}

/** The task's deadline moves while another call waits for a decision. */
function dated({ state }: RunContext, shown: WaitingSettlement): WaitingSettlement {
  const nowMs = Date.now();
  const leftMs = state === undefined ? Number.NaN : taskTimeLeftMs(state, nowMs);
  return { ...shown, deadlineAt: Number.isFinite(leftMs) ? nowMs + leftMs : null };
}

/** How one kind of message is checked, kept and confirmed. */
type Heard<Message extends { readonly by: string }, Shown, Receipt> = {
  readonly description: string;
  readonly list: Waitlist<Shown, Message>;
  readonly formFaults: (message: unknown) => readonly Fault[];
  readonly idOf: (message: Message) => string;
  /** What waits, in words, such as `Call 3`. */
  readonly nameOf: (id: string) => string;
  readonly titleOf: (shown: Shown) => string;
  readonly deadlineOf: (shown: Shown) => number | null;
  /** Why nothing can wait under this id yet. */
  readonly tooEarly?: (id: string) => string | undefined;
  readonly mismatch?: (message: Message, shown: Shown) => string | undefined;
  /** What a message says, in words that follow the name. */
  readonly verdictOf: (message: Message) => string;
  readonly receiptOf: (message: Message) => Receipt;
};

function decisionOf(run: RunContext): Heard<Decision, WaitingApproval, DecisionReceipt> {
  return {
    description:
      'Allow or refuse a call: {"callId", "fingerprint", "approve", "by", "note"?}, as holdfast.approvals shows them',
    list: run.people.approvals,
    formFaults: decisionFaults,
    idOf: ({ callId }) => callId,
    nameOf: (id) => `Call ${id}`,
    titleOf: ({ callId, tool }) => `${callId} (${tool})`,
    deadlineOf: ({ deadlineAt }) => deadlineAt,
    tooEarly: (id) => {
      const calls = run.state?.calls ?? 0;
      return Number(id) > calls ? `the run's last call so far is ${calls}` : undefined;
    },
    mismatch: ({ fingerprint }, shown) =>
      fingerprint === shown.fingerprint
        ? undefined
        : `Call ${shown.callId} waits with other arguments: their fingerprint is ${shown.fingerprint}, got ` +
          `${showValue(fingerprint)}. Look at them by the query ${queries.approvals}, then decide.`,
    verdictOf: ({ approve, by }) => `was ${approve ? 'approved' : 'denied'} by ${by}`,
    receiptOf: ({ callId, approve }) => ({ callId, approved: approve }),
  };
}

function settlementOf(run: RunContext): Heard<Settlement, WaitingSettlement, SettlementReceipt> {
  return {
    description:
      'Say of an unknown write whether it happened: {"key", "done", "result"?, "by", "note"?}, as holdfast.unknowns shows it',
    list: run.people.settlements,
    formFaults: settlementFaults,
    idOf: ({ key }) => key,
    nameOf: (id) => `The write with the key ${id}`,
    titleOf: ({ key, tool }) => `${key} (${tool})`,
    deadlineOf: () => null, // the wait itself ends with the task's deadline, which may move
    verdictOf: ({ done, by }) => `was settled as ${done ? 'done' : 'not done'} by ${by}`,
    receiptOf: ({ key, done }) => ({ key, done }),
  };
}

function answerOf(run: RunContext): Heard<Answer, WaitingQuestion, AnswerReceipt> {
  return {
    description:
      'Answer a question: {"questionId", "answer", "by", "note"?}, as holdfast.questions shows it',
    list: run.people.questions,
    formFaults: answerFaults,
    idOf: ({ questionId }) => questionId,
    nameOf: (id) => `Question ${id}`,
    titleOf: ({ questionId, question }) => `${questionId} (${showValue(question)})`,
    deadlineOf: ({ deadlineAt }) => deadlineAt,
    verdictOf: ({ by }) => `was answered by ${by}`,
    receiptOf: ({ questionId }) => ({ questionId }),
  };
}

/** The handler only records: whoever waits goes on by itself. */
function hear<Message extends { readonly by: string }, Shown, Receipt>(
  update: UpdateDefinition<Receipt, [Message]>,
  heard: Heard<Message, Shown, Receipt>,
): void {
  const { list, idOf, verdictOf, receiptOf, description } = heard;
  const keep = (message: Message): Receipt => {
    const at = Date.now();
    const end = `${verdictOf(message)} at ${new Date(at).toISOString()}`;
    list.say(idOf(message), { word: message, at }, end);
    return receiptOf(message);
  };
  setHandler(update, keep, { validator: (message) => check(message, heard), description });
}

/** Refuses a message that can't be kept, before Temporal writes it down. */
function check<Message extends { readonly by: string }, Shown, Receipt>(
  message: Message,
  heard: Heard<Message, Shown, Receipt>,
): void {
  refuseFaults(heard.formFaults(message));
  const waiting = heard.list.waitingAs(heard.idOf(message));
  if (waiting.length === 0) refuseAbsent(heard.idOf(message), heard);
  for (const one of waiting) checkWaiting(message, one, heard);
}

function checkWaiting<Message extends { readonly by: string }, Shown, Receipt>(
  message: Message,
  { id, shown, deciders, faults }: Waiting<Shown, Message>,
  { nameOf, deadlineOf, mismatch }: Heard<Message, Shown, Receipt>,
): void {
  const different = mismatch?.(message, shown);
  if (different !== undefined) refuseMessage('otherArguments', different);
  if (deciders !== 'anyone' && !deciders.includes(message.by)) {
    const who = deciders.length === 0 ? 'nobody' : deciders.join(', ');
    refuseMessage(
      'notDecider',
      `${nameOf(id)} may be decided by ${who}, not by ${showValue(message.by)}.`,
    );
  }
  const deadlineAt = deadlineOf(shown);
  if (deadlineAt !== null && Date.now() >= deadlineAt) {
    refuseMessage('decided', `${nameOf(id)} waited until ${new Date(deadlineAt).toISOString()}.`);
  }
  refuseFaults(faults?.(message) ?? []);
}

function refuseAbsent<Message extends { readonly by: string }, Shown, Receipt>(
  id: string,
  { list, nameOf, titleOf, tooEarly }: Heard<Message, Shown, Receipt>,
): never {
  const end = list.endOf(id);
  if (end !== undefined) refuseMessage('decided', `${nameOf(id)} ${end}.`);
  const early = tooEarly?.(id);
  const why = early === undefined ? 'does not wait for anybody' : `does not wait yet: ${early}`;
  const others = list.shown().map(titleOf).join(', ');
  const waiting = others === '' ? 'Nothing of the kind waits.' : `These wait: ${others}.`;
  refuseMessage('notWaiting', `${nameOf(id)} ${why}. ${waiting}`);
}
