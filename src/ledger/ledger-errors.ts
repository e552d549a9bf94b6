import { HoldfastError } from '../budget/errors.js';

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

/** Returns what an error says; one that only gathers others (a host with several addresses) says nothing itself. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '') {
    return cause.errors.map(reasonOf).join('; ');
  }
  return cause instanceof Error ? cause.message : String(cause);
}

/** Returns the code that drivers put on their errors; an empty text where there is none. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
