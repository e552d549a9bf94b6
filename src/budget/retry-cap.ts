import { throwFaults } from './errors.js';
import type { PlanNode, PlanPolicy } from './plan.js';
import { checkRetryCapRequest } from './plan-request.js';
import { faultsOf, rules } from './rules.js';
import { type Threshold, thresholdNumber, thresholdRule } from './threshold.js';

/**
 * Returns the most retries that a node can get: its own `maxRetries`, and never so many that its
 * attempts alone open its breaker (threshold - 1).
 * Throws `InvalidRequestError` where one of the two is invalid.
 */
export function retryCap(node: PlanNode, policy: PlanPolicy): number {
  checkRetryCapRequest(node, policy);
  return validRetryCap(node, policy);
}

/** Returns the same for a node and a policy that have been checked. */
export function validRetryCap(node: PlanNode, policy: PlanPolicy): number {
  const threshold = thresholdNumber(policy.consecutiveFailureThreshold);
  // Adding 0 turns the -0 that JSON can carry into 0.
  return Math.min(node.maxRetries, threshold - 1) + 0;
}

/** What caps one call's attempts when it is about to be sent. */
export type AttemptCap = {
  /** Retries that the plan gives the call, an integer of at least 0. */
  readonly share: number;
  /** Failures in a row that open the downstream's breaker. */
  readonly failureThreshold: Threshold;
  /** Failures in a row that the downstream's breaker has counted already, by any tool. */
  readonly failuresInARow: number;
};

/**
 * Returns the attempts that a call may make: 1 + min(share, threshold - 1 - failuresInARow), and
 * never below 1, since Temporal reads a `maximumAttempts` of 0 as "no limit".
 * Throws `InvalidRequestError`.
 */
export function cappedAttempts({ share, failureThreshold, failuresInARow }: AttemptCap): number {
  throwFaults([
    ...faultsOf('share', share, rules.nonNegativeInteger),
    ...faultsOf('failureThreshold', failureThreshold, thresholdRule),
    ...faultsOf('failuresInARow', failuresInARow, rules.nonNegativeInteger),
  ]);
  const room = thresholdNumber(failureThreshold) - 1 - failuresInARow;
  return 1 + Math.max(0, Math.min(share, room));
}
