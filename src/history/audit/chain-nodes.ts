import type { PlanNode } from '../../budget/plan.js';
import { policyDefaults } from '../../contract/policy.js';
import { figuresOf } from './activity-figures.js';
import type { ActivitySums } from './activity-sums.js';
import type { Audit } from './audit.js';
import type { AuditOptions } from './finding.js';
import { named } from './named.js';
import { failureRateOf, risingRates } from './rising-rates.js';
import type { StepSums, WorkflowSums } from './workflow-sums.js';

/** A chain as the planner takes it, and what its reader should know of it. */
export type Chain = {
  readonly workflowType: string;
  readonly nodes: readonly PlanNode[];
  readonly notes: readonly string[];
};

/** What the attempt before tells of a retry that has hardly been seen counts as so many of them. */
export const supposedRetries = 10;
/** Attempts below which a rate is named as rough. */
const fewAttempts = 30;
/** A workflow that calls one thing more often than this is no chain. */
const mostNodesEach = 20;

/**
 * Returns the calls of a type of workflow as nodes for the planner, in the order in which they are made: by
 * default of the type that ran most often. Undefined where no such workflow calls anything.
 */
export function chainNodes(
  audit: Audit,
  options: Pick<AuditOptions, 'costMicros'> & { readonly workflowType?: string },
): Chain | undefined {
  const candidates = Object.entries(audit.workflows)
    .filter(([type]) => options.workflowType === undefined || options.workflowType === type)
    .filter(([, { steps }]) => Object.keys(steps).length > 0)
    .sort(([, one], [, other]) => other.runs - one.runs);
  const [chosen] = candidates;
  if (chosen === undefined) return undefined;
  const [workflowType, sums] = chosen;
  const others = candidates.slice(1).map(([type]) => type);
  const notes: string[] = [];
  if (others.length > 0) notes.push(`Other workflows: ${others.join(', ')} (--chain <type>).`);
  const nodes = Object.entries(sums.steps)
    .sort(([, one], [, other]) => one.places / one.calls - other.places / other.calls)
    .flatMap(([name, step]) => {
      const activity = named(audit.activities, name);
      if (activity === undefined) return [];
      return nodesOf({ name, step, activity, workflow: sums, options, notes });
    });
  return { workflowType, nodes, notes };
}

function nodesOf(request: {
  readonly name: string;
  readonly step: StepSums;
  readonly activity: ActivitySums;
  readonly workflow: WorkflowSums;
  readonly options: Pick<AuditOptions, 'costMicros'>;
  readonly notes: string[];
}): readonly PlanNode[] {
  const { name, step, activity, workflow, options, notes } = request;
  const figures = figuresOf(name, activity, options);
  const calls =
    workflow.completed > 0 ? step.completedCalls / workflow.completed : step.calls / workflow.runs;
  const count = Math.round(calls);
  if (figures.attempts === 0) return [];
  if (count === 0) {
    notes.push(`${name} is left out: fewer than half of the runs that completed call it.`);
    return [];
  }
  if (count > mostNodesEach) notes.push(`${name} is called ${count} times a run; 20 are planned.`);
  if (figures.attempts < fewAttempts) {
    notes.push(`${name}: ${figures.attempts} attempts make a rough failure rate.`);
  }
  if (figures.attemptCostMicros === null) {
    notes.push(`${name}: no price is known (--cost ${name}=<micros>): it is planned as free.`);
  }
  const node = {
    ...ratesOf(activity),
    attemptCostMicros: Math.round(figures.attemptCostMicros ?? 0),
    latencyMs: Math.round(figures.meanMs ?? 0),
    required: step.lostRuns === 0 || step.survivedRuns * 2 <= step.lostRuns,
  };
  return Array.from({ length: Math.min(count, mostNodesEach) }, (_, index) => ({
    id: index === 0 ? name : `${name} (${index + 1})`,
    ...node,
  }));
}

/**
 * The rate of a first attempt is that of first attempts alone, since retries fail more often. Where a policy of the
 * user's own always allowed one attempt, the plan gives no retry either.
 */
function ratesOf(
  activity: ActivitySums,
): Pick<PlanNode, 'failureRate' | 'maxRetries' | 'retryFailureRates'> {
  const { own, calls, made, failed } = activity;
  const isSingle = own.calls > 0 && own.single === own.calls && own.calls >= calls;
  const maxRetries = isSingle ? 0 : policyDefaults.maxAttempts - 1;
  const [first = { made: 0, failed: 0 }, ...retries] = made.map((count, place) => ({
    made: count,
    failed: failed[place] ?? 0,
  }));
  const failureRate = failureRateOf(first);
  if (maxRetries === 0 || retries.length === 0) return { failureRate, maxRetries };
  let before = failureRate;
  const trials = Array.from({ length: maxRetries }, (_, index) => {
    const seen = retries[index] ?? { made: 0, failed: 0 };
    const trial = {
      made: seen.made + supposedRetries,
      failed: seen.failed + supposedRetries * before,
    };
    before = trial.failed / trial.made;
    return trial;
  });
  return { failureRate, maxRetries, retryFailureRates: risingRates(trials) };
}
