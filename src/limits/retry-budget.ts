import type { RatioFigures } from '../budget/ratio-budget.js';
import type { LimitKey } from './limiter.js';

export type { RatioFigures } from '../budget/ratio-budget.js';

/** Whose retries are counted, and by which figures. */
export type RatioKey = LimitKey & { readonly ratio: RatioFigures };

/** A call that is counted from the moment in which it is sent. */
export type SentCall = {
  /** It was cancelled, or never sent: it is counted no longer. */
  readonly takeBack: () => void;
};

/** What was decided about a retry. */
export type RetryDecision = {
  readonly allowed: boolean;
  /** Whose window was asked: the fleet's, or, without a store or with one that is down, this worker's own. */
  readonly by: 'fleet' | 'worker';
  /** The retry will not be sent: it is charged no longer. */
  readonly refund: () => void;
};

/**
 * The retry budget of a worker, on its own or as a part of its fleet. Keys with a tenant count in the tenant's window
 * and in the downstream's: many small tenants together reach the samples that one of them doesn't.
 */
export interface RetryBudget {
  /** Counts a call that is being sent. */
  callSent(key: RatioKey): SentCall;
  /** Decides about a retry and charges it at once; it stands until the window's length after it is due. */
  decide(key: RatioKey, retry: { readonly dueInMs: number }): Promise<RetryDecision>;
  close(): Promise<void>;
}
