import { planRetryBudget, worstCaseRetryCost } from '../../budget/index.js';
import type { Plan, PlanNode, WorstCase } from '../../budget/plan.js';
import { thresholdNumber } from '../../budget/threshold.js';
import { callPolicy, downstreamPolicy, runPolicy } from '../../contract/policy-layers.js';
import type { Agent, Ticket } from './agent.js';
import { renderTable } from './table.js';

/** The plan of a ticket's chain before anything runs. */
export type PlanReport = {
  readonly nodes: readonly PlanNode[];
  readonly plan: Plan;
  readonly worstCase: WorstCase;
  readonly globalRetryBudget: number;
  /** Success of the chain without retries, 8 decimals. */
  readonly withoutRetries: number;
};

/** Plans the chain of a ticket as the governor does at its start. */
export function planTicket({ tools, policy, ticketTask }: Agent, ticket: Ticket): PlanReport {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const nodes = ticketTask(ticket).steps.flatMap(({ id, tool: name, required }): PlanNode[] => {
    const tool = byName.get(name);
    if (tool === undefined) return [];
    const { downstream, estimate } = tool;
    const { maxAttempts } = callPolicy(policy, { tool: name, downstream });
    const { consecutiveFailureThreshold } = downstreamPolicy(policy, { downstream }).breaker;
    const cap = Math.min(maxAttempts, thresholdNumber(consecutiveFailureThreshold)) - 1;
    const maxRetries = Math.min(tool.maxRetries, cap);
    return [{ id, ...estimate, maxRetries, required: required !== false }];
  });
  const { globalRetryBudget, objective } = runPolicy(policy);
  const { breaker } = downstreamPolicy(policy, { downstream: '' });
  const planPolicy = {
    globalRetryBudget,
    objective,
    consecutiveFailureThreshold: breaker.consecutiveFailureThreshold,
    halfOpenAfterCalls: breaker.halfOpenAfterCalls,
  };
  return {
    nodes,
    plan: planRetryBudget(nodes, planPolicy),
    worstCase: worstCaseRetryCost(nodes, planPolicy),
    globalRetryBudget,
    withoutRetries: planRetryBudget(nodes, { ...planPolicy, globalRetryBudget: 0 }).chainSuccess,
  };
}

/** Returns the plan as text. */
export function renderPlan(report: PlanReport): string {
  const { nodes, plan, worstCase, globalRetryBudget, withoutRetries } = report;
  const rows = plan.allocations.map((allocation, index) => {
    const node = nodes[index];
    return [
      allocation.nodeId,
      percent(node?.failureRate ?? 0),
      String(allocation.retries),
      percent(allocation.effectiveFailureRate),
      money((1 + allocation.retries) * (node?.attemptCostMicros ?? 0)),
    ];
  });
  return [
    `The plan of each ticket: ${globalRetryBudget} retries for ${nodes.length} steps`,
    renderTable(['step', 'an attempt fails', 'retries', 'all fail', 'worst cost'], rows),
    `  required steps succeed together in ${percent(plan.chainSuccess)} of tickets ` +
      `(${percent(withoutRetries)} without retries), before any fallback`,
    `  at worst ${worstCase.maxAttempts} attempts and ${money(worstCase.maxCostMicros)}, ` +
      `${worstCase.amplification} times the price without failures`,
  ].join('\n');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function money(micros: number): string {
  return `$${(micros / 1e6).toFixed(5)}`;
}
