import type { Info } from '@temporalio/activity';
import type { RetryDecision } from '../limits/retry-budget.js';

/** Retries that this worker has decided about and that have not come back to it yet. */
export type DecidedRetries = {
  readonly remember: (info: Info, decision: RetryDecision) => void;
  /** Returns the decision about the retry that has arrived, once; undefined where another worker made it. */
  readonly take: (info: Info) => RetryDecision | undefined;
};

/** Those that go to other workers are never taken: the oldest make room, and their charge lapses by itself. */
const MOST_REMEMBERED = 1_000;

/** Makes the memory of decided retries. */
export function createDecidedRetries(): DecidedRetries {
  const decided = new Map<string, RetryDecision>();
  return {
    remember: (info, decision) => {
      decided.set(nameOf(info), decision);
      if (decided.size <= MOST_REMEMBERED) return;
      const [oldest] = decided.keys();
      if (oldest !== undefined) decided.delete(oldest);
    },
    take: (info) => {
      const name = nameOf(info);
      const decision = decided.get(name);
      decided.delete(name);
      return decision;
    },
  };
}

function nameOf({ workflowExecution, activityId }: Info): string {
  const { workflowId = '', runId = '' } = workflowExecution ?? {};
  return JSON.stringify([workflowId, runId, activityId]);
}
