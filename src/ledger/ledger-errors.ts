import { HoldfastError } from '../budget/errors.js';

/** The store gave no answer: it is down, locked, full or read-only. */
export class LedgerUnavailableError extends HoldfastError {
  readonly kind = 'ledger-unavailable';

  constructor(operation: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The ledger could not ${operation}: ${reason}`, { cause });
  }
}

/** A database that can't be used as a ledger, whatever is tried again. */
export class LedgerUnusableError extends HoldfastError {
  readonly kind = 'ledger-unusable';
}
