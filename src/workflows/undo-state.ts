import type { Undo } from '../contract/compensation.js';
import type { RunPolicy } from '../contract/policy.js';
import type { Planned, RunState, UndoBudget } from '../contract/run-state.js';
import type { RunContext } from './run-context.js';
import { initialRunState } from './run-state.js';

const KEPT = 100;

/** Gives undoing its figures, and its time anew; retries that an earlier undo has spent stay spent. */
export function openUndo(
  state: RunState,
  wanted: {
    readonly policy: RunPolicy;
    readonly nowMs: number;
    readonly planned: readonly Planned[];
  },
): RunState {
  const { policy, nowMs, planned } = wanted;
  const { globalRetryBudget, deadlineMs } = policy.compensation;
  const fresh = initialRunState({
    policy: { ...policy, globalRetryBudget },
    nowMs,
    planned,
    deadlineMs,
  });
  const { deadlineAt } = fresh;
  if (state.undo === undefined) return { ...state, undo: figuresOf(fresh) };
  return {
    ...state,
    undo: { ...state.undo, deadlineAt, planned: [...state.undo.planned, ...planned] },
  };
}

/** Notes what became of undoing a call. */
export function noteUndo(state: RunState, undo: Undo): RunState {
  return { ...state, compensations: [...(state.compensations ?? []), undo].slice(-KEPT) };
}

/** Returns a state with the figures of undoing in place of the run's own. */
export function seenByUndo(state: RunState): RunState {
  if (state.undo === undefined) return state;
  const { pausedAt: _paused, cost: _cost, ...others } = state;
  return { ...others, ...state.undo };
}

/** Returns the state after a change that undoing made: its figures go to it, the run's own stay. */
export function changedByUndo(before: RunState, changed: RunState): RunState {
  if (before.undo === undefined) return changed;
  const { pausedAt: _paused, cost: _cost, ...others } = changed;
  return { ...others, ...figuresOf(before), undo: figuresOf(changed) };
}

/**
 * Returns the run as undoing sees it: pool, deadline and interruptions are its own, breakers, lines and call
 * numbers are the run's. All of the gate works on it as on any run.
 */
export function undoContext(run: RunContext): RunContext {
  return new Proxy(run, {
    get: (target, field) => {
      if (field === 'stopsClock') return target.stopsUndoClock;
      if (field !== 'state') return Reflect.get(target, field);
      return target.state === undefined ? undefined : seenByUndo(target.state);
    },
    set: (target, field, value) => {
      if (field === 'stopsClock') return Reflect.set(target, 'stopsUndoClock', value);
      if (field !== 'state' || target.state === undefined) {
        return Reflect.set(target, field, value);
      }
      target.state = changedByUndo(target.state, value);
      return true;
    },
  });
}

function figuresOf(state: RunState): UndoBudget {
  const { deadlineAt, pausedAt, pool, planned, interruptionsLeft } = state;
  const { counts, attempts, retries, tokens, cost } = state;
  return {
    deadlineAt,
    ...(pausedAt === undefined ? {} : { pausedAt }),
    pool,
    planned,
    interruptionsLeft,
    counts,
    attempts,
    retries,
    tokens,
    ...(cost === undefined ? {} : { cost }),
  };
}
