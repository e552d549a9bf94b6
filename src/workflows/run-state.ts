import { initialBreaker } from '../budget/breaker.js';
import { settle } from '../budget/retry-pool.js';
import type { DeliveredPolicy } from '../contract/delivered-policy.js';
import type { OutcomeKind } from '../contract/outcome.js';
import type { RunPolicy } from '../contract/policy.js';
import type { CallLine, Planned, RunReport, RunState } from '../contract/run-state.js';
import type { Slice } from '../contract/spent.js';
import { plusCost } from './call-cost.js';

const LINES_KEPT = 100;

/** Returns the state of a run that has done nothing. */
export function initialRunState(options: {
  readonly policy: RunPolicy;
  readonly nowMs: number;
  readonly planned: readonly Planned[];
  readonly tenant?: string | undefined;
  /** Milliseconds that the run may take; null without a limit. */
  readonly deadlineMs: number | null;
  readonly slice?: Slice | undefined;
  readonly delivered?: DeliveredPolicy | undefined;
}): RunState {
  const { policy, nowMs, planned, tenant, deadlineMs, slice, delivered } = options;
  return {
    v: 1,
    run: 1,
    policyVersion: policy.version,
    mode: policy.mode,
    ...(tenant === undefined ? {} : { tenant }),
    ...(delivered === undefined ? {} : { policy: delivered }),
    ...(slice === undefined ? {} : { slice }),
    deadlineAt: earlier(deadlineMs === null ? null : nowMs + deadlineMs, slice?.deadlineAt ?? null),
    pool: { total: policy.globalRetryBudget, spent: 0, reserved: 0 },
    planned,
    interruptionsLeft: policy.interruptions.perRun,
    breakers: {},
    counts: {
      ok: 0,
      degraded: 0,
      exhausted: 0,
      rejected: 0,
      failed: 0,
      denied: 0,
      unknown: 0,
      cancelled: 0,
    },
    calls: 0,
    attempts: 0,
    retries: 0,
    tokens: { useful: 0, wasted: 0 },
    lines: [],
  };
}

/** Gives a run a deadline of its own: a policy that changes doesn't move it, and a slice keeps it within the parent's. */
export function withDeadline(state: RunState, deadlineAt: number): RunState {
  return {
    ...state,
    deadlineAt: earlier(deadlineAt, state.slice?.deadlineAt ?? null),
    deadlineIsOwn: true,
  };
}

/** Returns the earlier of two times, of which null is never. */
export function earlier(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/** Returns the milliseconds to the run's deadline; Infinity without one. */
export function taskTimeLeftMs({ deadlineAt, pausedAt }: RunState, nowMs: number): number {
  return deadlineAt === null ? Number.POSITIVE_INFINITY : deadlineAt - (pausedAt ?? nowMs);
}

/** Lets the run's deadline stand still; one that stands already is left alone. */
export function pauseDeadline(state: RunState, nowMs: number): RunState {
  return state.pausedAt === undefined ? { ...state, pausedAt: nowMs } : state;
}

/** Lets the run's deadline run on, later by the time that it stood still. */
export function resumeDeadline(state: RunState, nowMs: number): RunState {
  const { pausedAt, ...running } = state;
  if (pausedAt === undefined) return state;
  const { deadlineAt } = running;
  return { ...running, deadlineAt: deadlineAt === null ? null : deadlineAt + nowMs - pausedAt };
}

/** What a call adds to the state when it ends. */
export type EndedCall = {
  readonly line: CallLine;
  readonly share: number;
};

/** Books a call that has ended: its attempts, its tokens, its line, and its share's end. */
export function bookCall(state: RunState, { line, share }: EndedCall): RunState {
  return {
    ...state,
    // A step that was refused is over as well: what it would have needed is free.
    planned: state.planned.filter(({ id }) => id !== line.step),
    pool: settle(state.pool, share, line.retries),
    counts: countKind(state, line.kind, 1),
    attempts: state.attempts + line.attempts,
    retries: state.retries + line.retries,
    tokens: {
      useful: state.tokens.useful + line.tokens.useful,
      wasted: state.tokens.wasted + line.tokens.wasted,
    },
    ...(line.cost === undefined ? {} : { cost: plusCost(state.cost, line.cost) }),
    lines: [...state.lines, line].slice(-LINES_KEPT),
  };
}

/** Notes that a fallback has answered a call that was booked without an answer. */
export function bookFallback(state: RunState, call: number, from: OutcomeKind): RunState {
  const without = { ...state, counts: countKind(state, from, -1) };
  return {
    ...without,
    counts: countKind(without, 'degraded', 1),
    lines: state.lines.map((line) => (line.call === call ? { ...line, kind: 'degraded' } : line)),
  };
}

/** Counts what stood in for an answer of a tool. */
export function countFallback(
  state: RunState,
  { from, to }: { readonly from: string; readonly to: string },
): RunState {
  const { aiFallback = {} } = state;
  const ofTool = (Object.hasOwn(aiFallback, from) ? aiFallback[from] : undefined) ?? {};
  const count = 1 + ((Object.hasOwn(ofTool, to) ? ofTool[to] : undefined) ?? 0);
  return { ...state, aiFallback: { ...aiFallback, [from]: { ...ofTool, [to]: count } } };
}

/** Returns the breaker of a downstream; one that has seen nothing is closed. */
export function breakerOf(state: RunState, downstream: string): RunState['breakers'][string] {
  return (
    (Object.hasOwn(state.breakers, downstream) ? state.breakers[downstream] : undefined) ??
    initialBreaker()
  );
}

/** Returns what a run did and spent. */
export function reportOf(state: RunState): RunReport {
  const { mode, policyVersion, pool, counts, calls, attempts, retries, tokens, lines } = state;
  const { cost, interruptionsLeft, breakers, undo, compensations, aiFallback } = state;
  const { childLines, inherited } = state;
  return {
    mode,
    policyVersion,
    pool,
    counts,
    calls,
    attempts,
    retries,
    tokens,
    ...(cost === undefined ? {} : { cost }),
    lines,
    interruptionsLeft,
    breakers,
    ...(aiFallback === undefined ? {} : { aiFallback }),
    ...(undo === undefined ? {} : { undo }),
    ...(compensations === undefined ? {} : { compensations }),
    ...(childLines === undefined ? {} : { childLines }),
    ...(inherited === undefined ? {} : { inherited }),
  };
}

function countKind(
  state: RunState,
  kind: OutcomeKind | 'cancelled',
  by: number,
): RunState['counts'] {
  return { ...state.counts, [kind]: state.counts[kind] + by };
}
