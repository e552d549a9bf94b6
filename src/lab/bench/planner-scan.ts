import type { PlanNode } from '../../budget/index.js';

/**
 * Hands out retries as the rule of the plan is written (spec.md, The planner, absolute gain): for each
 * retry a scan of all nodes that computes every gain, f^(k+1)·(1-f), anew. Returns the retries of each node.
 */
export function scanForRetries(nodes: readonly PlanNode[], budget: number): readonly number[] {
  const retries = nodes.map(() => 0);
  for (let left = budget; left > 0; left--) {
    const best = bestNode(nodes, retries, true) ?? bestNode(nodes, retries, false);
    if (best === undefined) break;
    retries[best] = (retries[best] ?? 0) + 1;
  }
  return retries;
}

function bestNode(
  nodes: readonly PlanNode[],
  retries: readonly number[],
  required: boolean,
): number | undefined {
  let best: number | undefined;
  let bestGain = 0;
  let bestPrice = 0;
  for (const [index, node] of nodes.entries()) {
    const used = retries[index] ?? 0;
    if (node.required !== required || used >= node.maxRetries) continue;
    const failure = node.failureRate ** (used + 1);
    const gain = failure * (1 - node.failureRate);
    const price = node.attemptCostMicros * failure;
    if (gain > bestGain || (best !== undefined && gain === bestGain && price < bestPrice)) {
      best = index;
      bestGain = gain;
      bestPrice = price;
    }
  }
  return best;
}
