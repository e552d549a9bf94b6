import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { isPlainObject } from '../contract/json.js';
import type { RunState } from '../contract/run-state.js';
import type { RunOutcome } from '../contract/search-attributes.js';
import { TASK_FAILED } from '../contract/task-failed.js';

/** What results of tasks, loops and batches are called that came to less than was asked for. */
const lesser = ['degraded', 'partial', 'limited', 'cancelled'] as const;
const unanswered = ['exhausted', 'rejected', 'failed', 'denied', 'unknown'] as const;

/** Returns how a run ended that returned a value. */
export function outcomeOfValue(value: unknown, state: RunState | undefined): RunOutcome {
  const said = isPlainObject(value) ? value : {};
  const kind = lesser.find((one) => one === said.kind);
  if (kind !== undefined) return kind;
  return said.degraded === true || hasDegraded(state) ? 'degraded' : 'ok';
}

/** Returns how a run ended that threw: as the call that ended it, where one did. */
export function outcomeOfError(error: unknown, state: RunState | undefined): RunOutcome {
  if (isCancellation(error)) return 'cancelled';
  if (error instanceof ActivityFailure)
    return endOf(state, ({ tool }) => tool === error.activityType);
  if (!(error instanceof ApplicationFailure)) return 'failed';
  if (error.type !== TASK_FAILED)
    return unanswered.find((kind) => error.type === `holdfast.${kind}`) ?? 'failed';
  const [detail] = error.details ?? [];
  const failedStep = isPlainObject(detail) ? detail.failedStep : undefined;
  return endOf(
    state,
    ({ step, undoes }) => step !== undefined && step === failedStep && undoes === undefined,
  );
}

/** Tells whether something stood in for an answer of the run. */
export function hasDegraded(state: RunState | undefined): boolean {
  return state !== undefined && state.counts.degraded > 0;
}

function endOf(
  state: RunState | undefined,
  isMeant: (line: RunState['lines'][number]) => boolean,
): RunOutcome {
  // A failure that was kept and thrown later may have calls of the same tool after it that were answered.
  const kinds = state?.lines.filter(isMeant).flatMap(({ kind }) => {
    const without = unanswered.find((one) => one === kind);
    return without === undefined ? [] : [without];
  });
  return kinds?.at(-1) ?? 'failed';
}
