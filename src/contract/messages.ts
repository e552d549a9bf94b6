import type { Mode, PolicyInput } from './policy.js';
import type { Spent } from './spent.js';

/** Names of the queries that every governed run answers. */
export const queries = {
  /** The whole state: plan, pool, breakers, tokens. Returns RunState. */
  state: 'holdfast.state',
  /** What the run did and spent. Returns RunReport. */
  report: 'holdfast.report',
  /** Calls that wait for a person's yes. Returns WaitingApproval[]. */
  approvals: 'holdfast.approvals',
  /** Questions that wait for a person's answer. Returns WaitingQuestion[]. */
  questions: 'holdfast.questions',
  /** Writes that wait for somebody who knows whether they happened. Returns WaitingSettlement[]. */
  unknowns: 'holdfast.unknowns',
  /** Which tools answer at present, and how. Returns Feature[]. */
  features: 'holdfast.features',
} as const;

/** Names of the signals that runs send one another. */
export const signals = {
  /** A child that can't say it in its end tells its parent what it has spent. Takes ChildSpent. */
  childSpent: 'holdfast.childSpent',
} as const;

/** The argument of `holdfast.childSpent`. */
export type ChildSpent = { readonly workflowId: string; readonly spent: Spent };

/** Names of the updates by which people decide; each has a validator that says what it refuses and why. */
export const updates = {
  /** Allows or refuses a call. Takes Decision. */
  decide: 'holdfast.decide',
  /** Says of an unknown write whether it happened. Takes Settlement. */
  settle: 'holdfast.settle',
  /** Answers a question. Takes Answer. */
  answer: 'holdfast.answer',
  /** Puts another policy in force in mid-run. Takes PolicyChange. */
  setPolicy: 'holdfast.setPolicy',
} as const;

/** The argument of `holdfast.decide`. */
export type Decision = {
  readonly callId: string;
  /** The fingerprint that `holdfast.approvals` shows: a yes is a yes to these very arguments. */
  readonly fingerprint: string;
  readonly approve: boolean;
  readonly by: string;
  readonly note?: string | undefined;
};

/** The argument of `holdfast.settle`. */
export type Settlement = {
  readonly key: string;
  /** True: it has happened, with `result`. False: it has not, so that it may run. */
  readonly done: boolean;
  readonly result?: unknown;
  readonly by: string;
  readonly note?: string | undefined;
};

/** The argument of `holdfast.answer`. */
export type Answer = {
  readonly questionId: string;
  readonly answer: unknown;
  readonly by: string;
  readonly note?: string | undefined;
};

/**
 * The argument of `holdfast.setPolicy`: the whole policy, since what was in force before is no longer. `mode: 'off'`
 * lets every call through from then on; those in flight end as they began.
 */
export type PolicyChange = {
  readonly policy: PolicyInput;
  readonly by: string;
  readonly note?: string | undefined;
};

/** What `holdfast.setPolicy` returns. */
export type PolicyReceipt = { readonly version: string; readonly mode: Mode };

/**
 * Whether a tool would be asked at present. `available`: it would. `degraded`: its breaker would reject the call and a
 * fallback would answer, or the run's retries are used up, so that the first failure would be answered by it.
 * `disabled`: the call would be rejected, and nothing stands in.
 */
export type Feature = {
  readonly tool: string;
  readonly state: 'available' | 'degraded' | 'disabled';
  /** What stands in: `value`, `text`, `truncate`, `rule`, or a tool's name. */
  readonly to?: string | undefined;
  /** What a page may say to a user, where the tool is disabled and its fallback says so. */
  readonly message?: string | undefined;
};

/** What `holdfast.decide` returns. */
export type DecisionReceipt = { readonly callId: string; readonly approved: boolean };

/** What `holdfast.settle` returns. */
export type SettlementReceipt = { readonly key: string; readonly done: boolean };

/** What `holdfast.answer` returns. */
export type AnswerReceipt = { readonly questionId: string };

/**
 * Types of the failures by which the updates refuse a message: nothing of it is kept then, not even in the
 * workflow's history.
 */
export const messageRefusals = {
  /** A field is missing, wrong, or no field of this message; the answer doesn't fit its schema. */
  invalid: 'invalid-request',
  /** Nothing waits under this id: not yet, or not any more. */
  notWaiting: 'not-waiting',
  /** Somebody has decided already, or the time to do so is over. */
  decided: 'already-decided',
  /** The call that waits has other arguments. */
  otherArguments: 'fingerprint-differs',
  /** The policy names others who may decide. */
  notDecider: 'not-a-decider',
} as const;

/** A call that waits for a person. Times are epoch milliseconds of the workflow's clock. */
export type WaitingApproval = {
  readonly callId: string;
  readonly tool: string;
  readonly step?: string | undefined;
  readonly description: string;
  /** The exact arguments that would be sent. */
  readonly input: unknown;
  readonly key: string;
  readonly fingerprint: string;
  readonly requestedAt: number;
  /** After it the call is denied. */
  readonly deadlineAt: number;
};

/** A question that waits for a person. */
export type WaitingQuestion = {
  readonly questionId: string;
  readonly question: string;
  /** JSON schema of the answer. */
  readonly answerSchema: unknown;
  readonly requestedAt: number;
  readonly deadlineAt: number;
};

/** An unknown write that waits for a person. */
export type WaitingSettlement = {
  readonly key: string;
  readonly callId: string;
  readonly tool: string;
  readonly step?: string | undefined;
  readonly reason: string;
  readonly requestedAt: number;
  /** The task's deadline; null without one. */
  readonly deadlineAt: number | null;
};

/** What a `notify` tool is told when something waits for a person. */
export type WaitingNotice = {
  readonly workflowId: string;
  readonly waiting:
    | ({ readonly kind: 'approval' } & WaitingApproval)
    | ({ readonly kind: 'question' } & WaitingQuestion)
    | ({ readonly kind: 'settlement' } & WaitingSettlement);
};

/** Short names under which agent tasks, and they alone, answer the same queries. */
export const queryAliases = { state: 'state', report: 'report', features: 'features' } as const;
