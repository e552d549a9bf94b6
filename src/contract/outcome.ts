import type { ErrorClass } from '../budget/classify-types.js';

/** Why a call got no (further) attempt. */
export type ExhaustionReason =
  | 'attempts'
  | 'retry-budget'
  | 'token-budget'
  | 'deadline'
  | 'breaker-open'
  | 'not-retryable'
  | 'interrupted'
  | 'wait'
  /** A person said no, or nobody said yes in time (then it is `deadline`). */
  | 'denied'
  /** The tool needs an approval that this call doesn't carry, or that another one has consumed. */
  | 'approval-required'
  /** Nobody knows whether the effect happened, and it may not be sent again. */
  | 'effect-unknown'
  /** The effect has been undone: under this key it isn't caused again. */
  | 'effect-undone'
  /** The request is larger than what the downstream's limits ever admit. */
  | 'limit-exceeded'
  /** The key belongs to a call with other arguments. */
  | 'idempotency-conflict';

/** Tokens of a call or a run: of attempts that helped, and of attempts that failed. */
export type Tokens = { readonly useful: number; readonly wasted: number };

/**
 * What a call's attempts cost, in millionths of a currency unit: of the attempt that helped, and of those that
 * failed; null where the price of a model isn't known.
 */
export type Cost = {
  readonly useful: number | null;
  readonly wasted: number | null;
  /** Attempts at a model without a known price. @default 0 */
  readonly unpricedAttempts?: number;
};

/** What a call did and spent, whatever its end. Holds no data of the user's. */
export type CallReport = {
  /** Number of the call in its run, from 1. */
  readonly call: number;
  /** The step of the task that made the call, where one did. */
  readonly step?: string;
  /** Number of the call that this one undoes. */
  readonly undoes?: number;
  readonly tool: string;
  readonly downstream: string;
  /** Attempts that ended in success or failure; interrupted ones are in `interruptions`. */
  readonly attempts: number;
  /** False where nobody could tell: a call cancelled in backoff, or a worker without holdfast. */
  readonly attemptsKnown: boolean;
  /** True where the worker that ran it doesn't report attempts: it is charged at its maximum. */
  readonly blind: boolean;
  readonly retries: number;
  /** Retries that the plan gave the call. */
  readonly share: number;
  readonly interruptions: number;
  readonly tokens: Tokens;
  /** What the call's attempts cost; absent where they cost nothing. */
  readonly cost?: Cost;
  /** True where the answer comes from the ledger and nothing was sent. */
  readonly replayed: boolean;
  /** True where that answer belongs to a call with other arguments of equal identity. */
  readonly argumentsDiffer?: boolean;
};

/** What is known of a call that got no answer: a value for whoever plans the next step. */
export type FailureReport = CallReport & {
  /** Null where nothing was sent. */
  readonly class: ErrorClass | null;
  readonly message: string;
  readonly reason: ExhaustionReason;
  /** Whether a write may have happened although no answer says so. */
  readonly effectMayHaveHappened: boolean;
  /** The idempotency key of a write: what the ledger knows it by. */
  readonly key?: string;
  /** What the downstream asked to wait, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** Other tools to the same end. */
  readonly alternatives: readonly string[];
  /** What a user may be told, where the tool's fallback is to do without an answer. */
  readonly disabled?: Disabled;
};

/** That a tool is not to be had at present, why, and what a page may tell its user. */
export type Disabled = {
  readonly from: string;
  readonly to: 'disabled';
  readonly reason: ExhaustionReason;
  readonly message: string;
};

/** A call that was answered. */
export type Ok<Value> = { readonly kind: 'ok'; readonly value: Value; readonly report: CallReport };

/** A call that a fallback answered. */
export type Degraded<Value> = {
  readonly kind: 'degraded';
  readonly value: Value;
  /** The tool that couldn't answer. */
  readonly from: string;
  /** What answered: `value`, `text`, `truncate`, `rule`, or a tool's name. */
  readonly to: string;
  readonly reason: ExhaustionReason;
  readonly report: FailureReport;
};

/** A call without an answer, told apart by `kind`. */
export type Unanswered = {
  /**
   * `exhausted`: attempts were made and none helped; `rejected`: nothing was sent; `failed`: an
   * error that no attempt can mend; `denied`: no person allowed it; `unknown`: a write that may have happened.
   */
  readonly kind: 'exhausted' | 'rejected' | 'failed' | 'denied' | 'unknown';
  readonly report: FailureReport;
};

/** How a call ended. `ok` and `degraded` carry the typed value. */
export type Outcome<Value> = Ok<Value> | Degraded<Value> | Unanswered;

/** The kinds of outcomes. */
export type OutcomeKind = Outcome<unknown>['kind'];

/** Tells whether an outcome carries a value. */
export function hasValue<Value>(outcome: Outcome<Value>): outcome is Ok<Value> | Degraded<Value> {
  return outcome.kind === 'ok' || outcome.kind === 'degraded';
}
