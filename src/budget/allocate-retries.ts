import { type PlanNode, type PlanObjective, type PlanPolicy, planPolicyDefaults } from './plan.js';
import { validRetryCap } from './retry-cap.js';
import { retryFailureRate, retryGain } from './retry-curve.js';
import { RetryTournament } from './retry-tournament.js';

/** A node while retries are handed out; `retries` and `failure` grow with what it gets. */
type Candidate = {
  readonly node: PlanNode;
  readonly cap: number;
  retries: number;
  /** P_k: the probability that all attempts so far fail. */
  failure: number;
};

/**
 * Returns the retries of each node, handed out one at a time to the node that gains most (spec.md
 * section 2), required nodes before optional ones. Takes O((nodes + budget) · log nodes). Nodes
 * and policy are taken as checked.
 */
export function allocateRetries(nodes: readonly PlanNode[], policy: PlanPolicy): readonly number[] {
  const objective = policy.objective ?? planPolicyDefaults.objective;
  const candidates = nodes.map((node) => ({
    node,
    cap: validRetryCap(node, policy),
    retries: 0,
    failure: node.failureRate,
  }));
  const required = candidates.filter(({ node }) => node.required);
  const optional = candidates.filter(({ node }) => !node.required);
  const left = serve(required, { budget: policy.globalRetryBudget, objective });
  serve(optional, { budget: left, objective });
  return candidates.map(({ retries }) => retries);
}

type Purse = { readonly budget: number; readonly objective: PlanObjective };

/** Hands out retries until budget, caps or gains run out; returns what is left of the budget. */
function serve(candidates: readonly Candidate[], { budget, objective }: Purse): number {
  const tournament = new RetryTournament(candidates.length);
  candidates.forEach((candidate, index) => {
    tournament.set(index, nextGain(candidate, objective), nextPrice(candidate));
  });
  let left = budget;
  for (let index = tournament.best; index !== undefined && left > 0; index = tournament.best) {
    const best = candidates[index];
    if (best === undefined) break; // only candidates have a gain, so there is one
    left -= 1;
    best.retries += 1;
    best.failure *= retryFailureRate(best.node, best.retries);
    tournament.set(index, nextGain(best, objective), nextPrice(best));
  }
  return left;
}

function nextGain({ node, cap, retries, failure }: Candidate, objective: PlanObjective): number {
  if (retries >= cap) return 0;
  return retryGain(objective, { failure, nextRate: retryFailureRate(node, retries + 1) });
}

/** The expected price of one more retry: it is sent only where all attempts so far have failed. */
function nextPrice({ node, failure }: Candidate): number {
  return node.attemptCostMicros * failure;
}
