import type { PlanNode, PlanPolicy } from '../../src/budget/index.js';

type Offer = { readonly index: number; readonly gain: number; readonly price: number };

/**
 * Hands out retries as the rule is written, by a scan of all nodes for each retry that computes
 * every gain anew. Shares nothing with the planner but the types.
 */
export function slowRetries(nodes: readonly PlanNode[], policy: PlanPolicy): readonly number[] {
  const retries = nodes.map(() => 0);
  for (let spent = 0; spent < policy.globalRetryBudget; spent++) {
    const best = bestOffer(nodes, policy, retries);
    if (best === undefined) break;
    retries[best] = (retries[best] ?? 0) + 1;
  }
  return retries;
}

function bestOffer(
  nodes: readonly PlanNode[],
  policy: PlanPolicy,
  retries: readonly number[],
): number | undefined {
  for (const required of [true, false]) {
    const offers: Offer[] = [];
    nodes.forEach((node, index) => {
      const used = retries[index] ?? 0;
      if (node.required !== required || used >= Math.min(node.maxRetries, roomOf(policy))) return;
      const before = failureOf(node, used);
      const rescued = before * (1 - rateOf(node, used));
      const gain = policy.objective === 'chain-success' ? rescued / (1 - before) : rescued;
      if (gain > 0) offers.push({ index, gain, price: node.attemptCostMicros * before });
    });
    offers.sort((a, b) => b.gain - a.gain || a.price - b.price || a.index - b.index);
    if (offers[0] !== undefined) return offers[0].index;
  }
  return undefined;
}

function roomOf({ consecutiveFailureThreshold }: PlanPolicy): number {
  return Number(consecutiveFailureThreshold) - 1;
}

function rateOf(node: PlanNode, retry: number): number {
  return node.retryFailureRates === undefined
    ? node.failureRate
    : (node.retryFailureRates[retry] ?? Number.NaN);
}

function failureOf(node: PlanNode, retries: number): number {
  return Array.from({ length: retries }, (_, retry) => rateOf(node, retry)).reduce(
    (product, rate) => product * rate,
    node.failureRate,
  );
}

/** Returns the probability that all required nodes succeed with these retries, unrounded. */
export function chainSuccessOf(nodes: readonly PlanNode[], retries: readonly number[]): number {
  return nodes.reduce(
    (product, node, index) =>
      node.required ? product * (1 - failureOf(node, retries[index] ?? 0)) : product,
    1,
  );
}

/** Returns the best chain success over every way to hand out the budget: exponential. */
export function bestChainSuccess(nodes: readonly PlanNode[], policy: PlanPolicy): number {
  const [node, ...others] = nodes;
  if (node === undefined) return 1;
  const cap = Math.min(node.maxRetries, roomOf(policy), policy.globalRetryBudget);
  const results: number[] = [];
  for (let used = 0; used <= cap; used++) {
    const rest = { ...policy, globalRetryBudget: policy.globalRetryBudget - used };
    results.push((1 - failureOf(node, used)) * bestChainSuccess(others, rest));
  }
  return Math.max(...results);
}
