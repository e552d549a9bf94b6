import { HoldfastError } from '../budget/errors.js';
import { reasonOf } from '../database/database-errors.js';

/** The store gave no answer: it is down, locked, full or read-only. */
export class LedgerUnavailableError extends HoldfastError {
  readonly kind = 'ledger-unavailable';
  override readonly name = 'LedgerUnavailableError';

  constructor(
    /** What was asked for, as a verb: `claim`, `settle`, `open`. */
    readonly operation: string,
    cause: unknown,
  ) {
    super(`The ledger could not ${operation}: ${reasonOf(cause)}`, { cause });
  }
}

/** A database that can't be used as a ledger, whatever is tried again. */
export class LedgerUnusableError extends HoldfastError {
  readonly kind = 'ledger-unusable';
  override readonly name = 'LedgerUnusableError';
}
