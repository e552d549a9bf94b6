import type { RetryPolicyFacts, RunFacts } from '../run-facts.js';
import { activityName } from './activity-name.js';
import type { CallAttempts } from './call-attempts.js';
import { type Named, named, notSeen, type Seen, see } from './named.js';
import { isOwn } from './spots.js';

/** What an audit keeps of one type of workflow. */
export type WorkflowSums = {
  readonly runs: number;
  readonly completed: number;
  /** The most attempts that a policy of the workflow itself allowed, 0 without limit; 1 where it isn't retried. */
  readonly mostAttempts: number;
  /** All its runs, for a few ids. */
  readonly seen: Seen;
  /** Runs that the workflow's own policy had started again. */
  readonly again: Seen;
  /** Types of the workflows that start it as a child. */
  readonly parents: readonly string[];
  readonly steps: Named<StepSums>;
};

/** What an audit keeps of one type of activity within one type of workflow. */
export type StepSums = {
  /** Calls, and the sum of their places among the run's calls. */
  readonly calls: number;
  readonly places: number;
  /** Calls in runs that completed. */
  readonly completedCalls: number;
  /** Runs that lost a call for good, and those of them that completed all the same. */
  readonly lostRuns: number;
  readonly survivedRuns: number;
  /** The most attempts that a policy of the user's own allowed, 0 without limit; null without such a call. */
  readonly mostAttempts: number | null;
  readonly retries: number;
};

/** Names that are kept at most: whoever makes a type for each id must not fill the memory. */
export const mostNames = { activities: 500, workflows: 200, steps: 100, parents: 20 } as const;

/** Nothing read yet. */
export const noWorkflow: WorkflowSums = {
  runs: 0,
  completed: 0,
  mostAttempts: 1,
  seen: notSeen,
  again: notSeen,
  parents: [],
  steps: {},
};

const noStep: StepSums = {
  calls: 0,
  places: 0,
  completedCalls: 0,
  lostRuns: 0,
  survivedRuns: 0,
  mostAttempts: null,
  retries: 0,
};

/** Returns the larger of two limits of attempts, of which 0 means none. */
export function moreAttempts(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : Math.max(one, other);
}

/** Returns the sums with a run of that type. */
export function addWorkflow(
  sums: WorkflowSums,
  run: RunFacts,
  calls: readonly CallAttempts[],
): WorkflowSums {
  return {
    ...addPolicy(sums, run.retryPolicy),
    runs: sums.runs + 1,
    completed: sums.completed + (hasCompleted(run) ? 1 : 0),
    seen: see(sums.seen, run.workflowId),
    again: run.attempt > 1 ? see(sums.again, run.workflowId) : sums.again,
    steps: addSteps(sums.steps, run, calls),
  };
}

/** Returns the sums of a type that some workflow starts as a child. */
export function addParent(
  sums: WorkflowSums,
  parentType: string,
  policy: RetryPolicyFacts | null,
): WorkflowSums {
  const { parents } = sums;
  const isKept = parents.includes(parentType) || parents.length >= mostNames.parents;
  return { ...addPolicy(sums, policy), parents: isKept ? parents : [...parents, parentType] };
}

function addPolicy(sums: WorkflowSums, policy: RetryPolicyFacts | null): WorkflowSums {
  const mostAttempts = moreAttempts(sums.mostAttempts, policy?.maximumAttempts ?? 1);
  return { ...sums, mostAttempts };
}

/** A run that continues as new has done what it had to. */
function hasCompleted({ status }: RunFacts): boolean {
  return status === 'completed' || status === 'continued-as-new';
}

function addSteps(
  steps: Named<StepSums>,
  run: RunFacts,
  calls: readonly CallAttempts[],
): Named<StepSums> {
  const isCompleted = hasCompleted(run);
  const lost = new Set<string>();
  let after = steps;
  let place = 0;
  for (const call of calls) {
    const name = activityName(call.activity);
    const step = named(after, name) ?? noStep;
    if (step === noStep && Object.keys(after).length >= mostNames.steps) continue;
    const isWhole = call.end !== 'continued';
    const isLostHere = call.end === 'failed' && !lost.has(name);
    if (call.end === 'failed') lost.add(name);
    after = {
      ...after,
      [name]: {
        calls: step.calls + (isWhole ? 1 : 0),
        places: step.places + (isWhole ? place : 0),
        completedCalls: step.completedCalls + (isWhole && isCompleted ? 1 : 0),
        lostRuns: step.lostRuns + (isLostHere ? 1 : 0),
        survivedRuns: step.survivedRuns + (isLostHere && isCompleted ? 1 : 0),
        mostAttempts: stepAttempts(step, call),
        retries: step.retries + Math.max(0, call.made - (call.before === 0 ? 1 : 0)),
      },
    };
    if (isWhole) place += 1;
  }
  return after;
}

function stepAttempts({ mostAttempts }: StepSums, { activity }: CallAttempts): number | null {
  if (!isOwn(activity)) return mostAttempts;
  const { maximumAttempts } = activity.retryPolicy;
  return mostAttempts === null ? maximumAttempts : moreAttempts(mostAttempts, maximumAttempts);
}
