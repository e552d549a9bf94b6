import type { PlanNode, PlanObjective } from './plan.js';

// Symbols of spec.md section 2: f is a node's failure rate, r_j the rate of its j-th retry (f where
// the node gives none), k the retries so far, P_k = f·r_1…r_k the probability that all 1 + k
// attempts fail. What decides an allocation is built by multiplication, one factor a step: that is
// exact to the bit on every engine, and a plan must come out the same in a replay. What a plan only
// reports uses the power of the formula, since the last decimal of a tie depends on it.

/** Returns the probability that a node's retry number `retry` (counted from 1) fails. */
export function retryFailureRate(node: PlanNode, retry: number): number {
  return node.retryFailureRates?.[retry - 1] ?? node.failureRate;
}

/** Returns P_k, the probability that the first attempt and all k retries fail. */
export function failureAfter(node: PlanNode, retries: number): number {
  if (node.retryFailureRates === undefined) return node.failureRate ** (retries + 1);
  let failure = node.failureRate;
  for (let retry = 1; retry <= retries; retry++) failure *= retryFailureRate(node, retry);
  return failure;
}

/**
 * Returns the mean attempts for each run of the node: (1 - P_k) / (1 - f) where the rate is
 * constant, else the sum of the prefix products 1 + P_0 + … + P_(k-1).
 */
export function expectedAttempts(node: PlanNode, retries: number): number {
  if (node.retryFailureRates === undefined) {
    return (1 - failureAfter(node, retries)) / (1 - node.failureRate);
  }
  let attempts = 1;
  let failure = node.failureRate;
  for (let retry = 1; retry <= retries; retry++) {
    attempts += failure;
    failure *= retryFailureRate(node, retry);
  }
  return attempts;
}

/**
 * Returns what one more retry is worth, 0 for nothing. `failure` is P_k, `nextRate` r_(k+1).
 * `absolute-gain`: P_k·(1 - r_(k+1)), the share of runs that it rescues. `chain-success`: that share
 * over 1 - P_k, which ranks as ln((1 - P_(k+1)) / (1 - P_k)) does and needs no logarithm.
 */
export function retryGain(
  objective: PlanObjective,
  { failure, nextRate }: { readonly failure: number; readonly nextRate: number },
): number {
  const rescued = failure * (1 - nextRate);
  return objective === 'absolute-gain' ? rescued : rescued / (1 - failure);
}
