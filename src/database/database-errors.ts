import type { HoldfastError } from '../budget/errors.js';

/** How a store says what is wrong with its database. */
export type StoreErrors = {
  /** The database can't be this store, whatever is tried again. */
  readonly unusable: (message: string, options?: ErrorOptions) => HoldfastError;
  /** The database gave no answer to an operation, which is named by a verb. */
  readonly unavailable: (operation: string, cause: unknown) => HoldfastError;
};

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
