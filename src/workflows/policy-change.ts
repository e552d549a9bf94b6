import type { DeliveredPolicy } from '../contract/delivered-policy.js';
import type { RunPolicy } from '../contract/policy.js';
import type { RunState } from '../contract/run-state.js';
import { earlier } from './run-state.js';

/** What is in force before and after a change, as resolved for the run. */
export type PolicyShift = {
  readonly before: RunPolicy;
  readonly after: RunPolicy;
  readonly delivered: DeliveredPolicy;
  /** Whether the policy's deadline holds for the run. */
  readonly hasDeadline: boolean;
  readonly nowMs: number;
};

/**
 * Returns the state under another policy: what was spent stays spent, and what the policy gives is given anew. The
 * deadline moves by as much as the policy's changed, unless it is the task's own.
 */
export function changePolicy(state: RunState, shift: PolicyShift): RunState {
  const { before, after, delivered } = shift;
  const { undo } = state;
  return {
    ...state,
    policy: delivered,
    policyVersion: after.version,
    mode: after.mode,
    pool: { ...state.pool, total: after.globalRetryBudget },
    deadlineAt: movedDeadline(state, shift),
    interruptionsLeft: Math.max(
      0,
      state.interruptionsLeft + after.interruptions.perRun - before.interruptions.perRun,
    ),
    ...(undo === undefined ? {} : { undo: changedUndo(undo, before, after) }),
  };
}

function movedDeadline(state: RunState, shift: PolicyShift): number | null {
  const { before, after, hasDeadline, nowMs } = shift;
  const { deadlineAt, slice } = state;
  if (state.deadlineIsOwn === true) return deadlineAt;
  // A run that had no deadline gets one where the policy that comes says so, from then on.
  if (deadlineAt === null) return hasDeadline ? nowMs + after.deadlineMs : null;
  return earlier(deadlineAt + after.deadlineMs - before.deadlineMs, slice?.deadlineAt ?? null);
}

function changedUndo(
  undo: NonNullable<RunState['undo']>,
  before: RunPolicy,
  after: RunPolicy,
): NonNullable<RunState['undo']> {
  const { deadlineAt, pool } = undo;
  const byMs = after.compensation.deadlineMs - before.compensation.deadlineMs;
  return {
    ...undo,
    pool: { ...pool, total: after.compensation.globalRetryBudget },
    deadlineAt: deadlineAt === null ? null : deadlineAt + byMs,
  };
}
