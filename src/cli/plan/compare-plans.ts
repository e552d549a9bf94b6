import type { Plan, PlanObjective, WorstCase } from '../../budget/plan.js';
import { planRetryBudget, worstCaseRetryCost } from '../../budget/planner.js';
import { validRetryCap } from '../../budget/retry-cap.js';
import type { PlanRequest } from './read-nodes.js';

/** What the planner may maximise. */
export const objectives = [
  'absolute-gain',
  'chain-success',
] as const satisfies readonly PlanObjective[];

/** A plan by each objective. */
export type Plans = Readonly<Record<PlanObjective, Plan>>;

/** What a budget of so many retries comes to. */
export type FrontierPoint = {
  readonly budget: number;
  readonly plans: Readonly<Record<PlanObjective, Omit<Plan, 'allocations' | 'breakerCapped'>>>;
};

/** All that a chain's plan has to say. */
export type PlanComparison = PlanRequest & {
  readonly plans: Plans;
  readonly worstCase: WorstCase;
  /** Budgets from 0 up, and what each comes to. */
  readonly frontier: readonly FrontierPoint[];
};

const MOST_POINTS = 25;
const LEAST_SHOWN = 10;

/**
 * Plans a chain by both objectives, for its own budget and for others.
 * @param most the highest budget of the frontier; by default twice the chain's own, 10 at least, and no more than
 * the nodes can use
 */
export function comparePlans(request: PlanRequest, most?: number): PlanComparison {
  const { nodes, policy } = request;
  const budgets = frontierBudgets(policy.globalRetryBudget, most ?? usefulBudget(request));
  return {
    ...request,
    plans: plansOf(request),
    worstCase: worstCaseRetryCost(nodes, policy),
    frontier: budgets.map((budget) => pointOf(request, budget)),
  };
}

function plansOf({ nodes, policy }: PlanRequest): Plans {
  const planBy = (objective: PlanObjective): Plan =>
    planRetryBudget(nodes, { ...policy, objective });
  return { 'absolute-gain': planBy('absolute-gain'), 'chain-success': planBy('chain-success') };
}

function pointOf(request: PlanRequest, budget: number): FrontierPoint {
  const plans = plansOf({ ...request, policy: { ...request.policy, globalRetryBudget: budget } });
  return {
    budget,
    plans: {
      'absolute-gain': sumsOf(plans['absolute-gain']),
      'chain-success': sumsOf(plans['chain-success']),
    },
  };
}

function sumsOf({
  allocations,
  breakerCapped,
  ...sums
}: Plan): FrontierPoint['plans'][PlanObjective] {
  return sums;
}

function usefulBudget({ nodes, policy }: PlanRequest): number {
  const caps = nodes.reduce((sum, node) => sum + validRetryCap(node, policy), 0);
  return Math.min(caps, Math.max(LEAST_SHOWN, 2 * policy.globalRetryBudget));
}

/** Returns every budget from 0 on, or evenly spread ones where they would be too many, with the chain's own where it is none of them. */
function frontierBudgets(own: number, most: number): readonly number[] {
  const points = Math.min(most, MOST_POINTS - 1);
  const spread = Array.from({ length: points + 1 }, (_, index) =>
    points === 0 ? 0 : Math.round((index * most) / points),
  );
  const budgets = own <= most ? [...spread, own] : spread;
  return [...new Set(budgets)].sort((a, b) => a - b);
}
