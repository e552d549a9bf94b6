import type { ErrorClass } from '../budget/classify-types.js';

/** A failure that the ledger keeps and answers again. */
export type StoredFailure = {
  readonly class: ErrorClass;
  readonly message: string;
};

/** An effect that has happened: its result, or why there is none that could be kept. */
export type EffectHappened =
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'no-result'; readonly failure: StoredFailure };
