import { allocateRetries } from './allocate-retries.js';
import type { Allocation, Plan, PlanNode, PlanPolicy, WorstCase } from './plan.js';
import { checkPlanRequest } from './plan-request.js';
import { validRetryCap } from './retry-cap.js';
import { expectedAttempts, failureAfter } from './retry-curve.js';
import { toDecimals, toInteger } from './rounding.js';

/**
 * Returns where a chain's budget of retries goes, and what to expect of the chain then (spec.md
 * section 2). The same input gives the same plan to the last digit, on any engine.
 * Throws `InvalidRequestError` with every fault of nodes and policy.
 */
export function planRetryBudget(nodes: readonly PlanNode[], policy: PlanPolicy): Plan {
  checkPlanRequest(nodes, policy);
  const retries = allocateRetries(nodes, policy);
  const steps = nodes.map((node, index) => expectStep(node, retries[index] ?? 0));
  return { allocations: allocationsOf(steps, policy), ...expectChain(steps, policy) };
}

/**
 * Returns the most that a chain can cost: one attempt each and the dearest retries that budget
 * and caps allow, whatever the failure rates.
 * Throws `InvalidRequestError` with every fault of nodes and policy.
 */
export function worstCaseRetryCost(nodes: readonly PlanNode[], policy: PlanPolicy): WorstCase {
  checkPlanRequest(nodes, policy);
  const dearestFirst = nodes.toSorted((a, b) => b.attemptCostMicros - a.attemptCostMicros);
  let left = policy.globalRetryBudget;
  let maxAttempts = 0;
  let maxCostMicros = 0;
  let baseCostMicros = 0;
  for (const node of dearestFirst) {
    const retries = Math.min(left, validRetryCap(node, policy));
    left -= retries;
    maxAttempts += 1 + retries;
    maxCostMicros += (1 + retries) * node.attemptCostMicros;
    baseCostMicros += node.attemptCostMicros;
  }
  const amplification = baseCostMicros === 0 ? 0 : maxCostMicros / baseCostMicros;
  return { maxAttempts, maxCostMicros, amplification: toDecimals(amplification, 4) };
}

/** A node with its retries, in unrounded figures: sums over the chain are rounded only once. */
type Step = {
  readonly node: PlanNode;
  readonly retries: number;
  readonly failure: number;
  readonly attempts: number;
  readonly costMicros: number;
};

function expectStep(node: PlanNode, retries: number): Step {
  const attempts = expectedAttempts(node, retries);
  const costMicros = node.attemptCostMicros * attempts;
  return { node, retries, failure: failureAfter(node, retries), attempts, costMicros };
}

function allocationsOf(steps: readonly Step[], policy: PlanPolicy): readonly Allocation[] {
  return steps.map(({ node, retries, failure, attempts, costMicros }) => ({
    nodeId: node.id,
    retries,
    retryCap: validRetryCap(node, policy),
    effectiveFailureRate: toDecimals(failure, 8),
    expectedAttempts: toDecimals(attempts, 6),
    successProbability: toDecimals(1 - failure, 8),
    expectedCostMicros: toInteger(costMicros),
  }));
}

function expectChain(steps: readonly Step[], policy: PlanPolicy): Omit<Plan, 'allocations'> {
  let retriesUsed = 0;
  let requiredSuccess = 1;
  let optionalSuccess = 1;
  let attempts = 0;
  let costMicros = 0;
  let latencyMs = 0;
  const breakerCapped: string[] = [];
  for (const step of steps) {
    const { node } = step;
    retriesUsed += step.retries;
    if (node.required) requiredSuccess *= 1 - step.failure;
    else optionalSuccess *= 1 - step.failure;
    attempts += step.attempts;
    costMicros += step.costMicros;
    latencyMs += node.latencyMs * step.attempts;
    if (validRetryCap(node, policy) < node.maxRetries) breakerCapped.push(node.id);
  }
  const expectedCostMicros = toInteger(costMicros);
  return {
    retriesUsed,
    chainSuccess: toDecimals(requiredSuccess, 8),
    expectedCostMicros,
    costPerSuccessMicros: costPerSuccess(expectedCostMicros, requiredSuccess),
    expectedLatencyMs: toInteger(latencyMs),
    retryAmplification: toDecimals(attempts / steps.length, 4),
    partialProbability: toDecimals(1 - optionalSuccess, 8),
    breakerCapped,
  };
}

function costPerSuccess(costMicros: number, success: number): number {
  return success === 0 ? Number.POSITIVE_INFINITY : toInteger(costMicros / success);
}
