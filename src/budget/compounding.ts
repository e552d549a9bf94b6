import { type Fault, throwFaults } from './errors.js';
import { faultsOf, rules } from './rules.js';

/** A task of equal, independent calls. */
export type CompoundTask = {
  /** Calls that must all succeed, an integer of at least 0. */
  readonly calls: number;
  /** Probability that one attempt fails, from 0 to 1. */
  readonly failureRate: number;
  /**
   * Retries that each call may make, an integer of at least 0.
   * @default 0
   */
  readonly retries?: number;
};

/**
 * Returns the probability that a task succeeds: (1 - p^(k+1))^N for N calls that fail with
 * probability p and are retried k times (spec.md section 1).
 * Throws `InvalidRequestError`.
 */
export function taskSuccess({ calls, failureRate, retries = 0 }: CompoundTask): number {
  throwFaults([
    ...faultsOf('calls', calls, rules.nonNegativeInteger),
    ...faultsOf('failureRate', failureRate, rules.probability),
    ...faultsOf('retries', retries, rules.nonNegativeInteger),
  ]);
  return power(1 - power(failureRate, retries + 1), calls);
}

/**
 * Returns the attempts that one call can cause at the bottom of a stack whose layers all retry: the
 * product of the attempts of each layer (spec.md section 1), 1 for no layer.
 * Throws `InvalidRequestError` where a layer makes no attempt.
 */
export function layeredAttempts(attemptsPerLayer: readonly number[]): number {
  if (!Array.isArray(attemptsPerLayer)) {
    throwFaults([
      { field: 'attemptsPerLayer', rule: 'must be a list of counts', value: attemptsPerLayer },
    ]);
  }
  const faults: Fault[] = [];
  let attempts = 1;
  for (const [index, value] of attemptsPerLayer.entries()) {
    attempts *= value;
    faults.push(...faultsOf(`attemptsPerLayer[${index}]`, value, rules.positiveInteger));
  }
  throwFaults(faults);
  return attempts;
}

/** Squares and multiplies, since `Math.pow` may differ by a bit between engines. */
function power(base: number, exponent: number): number {
  let result = 1;
  let square = base;
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= square;
    square *= square;
  }
  return result;
}
