import { throwFaults } from '../budget/errors.js';
import { faultsOf, rules } from '../budget/rules.js';
import type { FleetStoreUnavailableError } from './fleet-errors.js';
import { createFleetRetryBudget } from './fleet-retry-budget.js';
import type { FleetStore } from './fleet-store.js';
import type { RetryBudget } from './retry-budget.js';
import { createWorkerRetryBudget } from './worker-retry-budget.js';

/** What a worker's retry budget is made of. */
export type RetryBudgetOptions = {
  /**
   * What the workers of a fleet share; it is closed with the budget.
   * @default this worker's own windows decide
   */
  readonly store?: FleetStore | undefined;
  /**
   * Milliseconds of a clock that never steps back.
   * @default performance.now
   */
  readonly now?: (() => number) | undefined;
  /**
   * Milliseconds that a decision waits for the store, where it has to ask: past them the worker decides by itself.
   * @default 1_000
   */
  readonly answerWithinMs?: number | undefined;
  /** Hears, once per outage, that the store gives no answer and this worker decides by itself. */
  readonly onFallback?: ((error: FleetStoreUnavailableError) => void) | undefined;
  /** Hears that the store answers again. */
  readonly onRecovery?: (() => void) | undefined;
};

const defaultAnswerWithinMs = 1_000;

/**
 * Returns the retry budget of a worker: on its own, or with a store as a part of its fleet.
 * @throws InvalidRequestError for options that break their rules
 */
export function createRetryBudget(options: RetryBudgetOptions = {}): RetryBudget {
  const { store, now = () => performance.now() } = options;
  const { answerWithinMs = defaultAnswerWithinMs } = options;
  const { onFallback = () => {}, onRecovery = () => {} } = options;
  throwFaults(faultsOf('answerWithinMs', answerWithinMs, rules.positiveInteger));
  if (store === undefined) return createWorkerRetryBudget(now);
  return createFleetRetryBudget(store, { now, answerWithinMs, onFallback, onRecovery });
}
