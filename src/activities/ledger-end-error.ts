import type { ErrorClass } from '../budget/classify-types.js';
import { HoldfastError } from '../budget/errors.js';
import type { LedgerVerdict } from '../contract/call-header.js';
import type { StoredFailure } from '../contract/effect-record.js';
import type { ExhaustionReason } from '../contract/outcome.js';

/** What the gate is told of an attempt that the ledger ended. */
export type LedgerEnd = {
  readonly kind:
    | 'idempotency-conflict'
    | 'approval-required'
    | 'effect-unknown'
    | 'effect-not-done'
    | 'effect-undone'
    | 'refusal-replayed'
    | 'result-not-kept'
    | 'no-ledger';
  readonly class: ErrorClass;
  readonly stop: ExhaustionReason | null;
  readonly ledger?: LedgerVerdict;
  /** Whether the effect may have happened, where the ledger knows better than the attempts before. */
  readonly mayHaveHappened?: boolean;
  /** @default false */
  readonly retryable?: boolean;
};

/** An attempt that the ledger ended: nothing is sent, and no breaker counts it. */
export class LedgerEndError extends HoldfastError {
  readonly kind: LedgerEnd['kind'];
  override readonly name: string;

  constructor(
    message: string,
    readonly end: LedgerEnd,
  ) {
    super(message);
    this.kind = end.kind;
    this.name = end.kind;
  }
}

/** The key belongs to a call with other arguments (notes/ledger.md, R3). */
export function idempotencyConflict(tool: string, key: string): LedgerEndError {
  return new LedgerEndError(
    `idempotency-conflict: another call of ${tool} with other arguments has the key ${key}.`,
    { kind: 'idempotency-conflict', class: 'invalid-request', stop: 'idempotency-conflict' },
  );
}

/** The tool needs a person's yes that this call doesn't carry, or that another call has used (R13). */
export function approvalRequired(tool: string, why: string): LedgerEndError {
  return new LedgerEndError(`${tool} needs an approval: ${why}.`, {
    kind: 'approval-required',
    class: 'auth',
    stop: 'approval-required',
  });
}

/** Nobody knows whether the effect happened, and it may not be sent again (R7). */
export function effectUnknown(tool: string, reason: string): LedgerEndError {
  return new LedgerEndError(`Nobody knows whether ${tool} has happened: ${reason}.`, {
    kind: 'effect-unknown',
    class: 'unknown',
    stop: 'effect-unknown',
    ledger: 'unknown',
    mayHaveHappened: true,
  });
}

/** The probe says that the effect hasn't happened, and the call has no attempt left. */
export function effectNotDone(tool: string): LedgerEndError {
  return new LedgerEndError(`${tool} has not happened, and no attempt is left.`, {
    kind: 'effect-not-done',
    class: 'timeout',
    stop: null,
    mayHaveHappened: false,
    retryable: true,
  });
}

/** The effect was taken back: answering it again would be untrue, and causing it again is not what was asked. */
export function effectUndone(tool: string, by: string): LedgerEndError {
  return new LedgerEndError(
    `${tool} has been undone by ${by}: to do it once more, give the call another occurrence.`,
    { kind: 'effect-undone', class: 'conflict', stop: 'effect-undone', ledger: 'replayed' },
  );
}

/** The refusal that the tool marked as final, answered again (R5). */
export function refusalReplayed(failure: StoredFailure): LedgerEndError {
  return new LedgerEndError(failure.message, {
    kind: 'refusal-replayed',
    class: failure.class,
    stop: 'not-retryable',
    ledger: 'replayed',
  });
}

/** The effect has happened, but its result is too large or no JSON (R12). */
export function resultNotKept(failure: StoredFailure): LedgerEndError {
  return new LedgerEndError(failure.message, {
    kind: 'result-not-kept',
    class: failure.class,
    stop: 'not-retryable',
    ledger: 'happened',
    mayHaveHappened: true,
  });
}

/** The worker can't say whether the effect has happened: it is not attempted. */
export function noLedger(tool: string): LedgerEndError {
  return new LedgerEndError(
    `${tool} is a write, and this worker has no ledger: give its plugin one, holdfast({ ledger }).`,
    { kind: 'no-ledger', class: 'invalid-request', stop: 'not-retryable' },
  );
}
