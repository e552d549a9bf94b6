import { reserve, settle } from '../budget/retry-pool.js';
import type { RunPolicy } from '../contract/policy.js';
import type { RunState } from '../contract/run-state.js';
import { addSpent, type ChildLine, type Slice, type Spent, spentInAll } from '../contract/spent.js';

const ENDED_KEPT = 50;

/** How a child's use of its slice ended. */
export type SliceEnd = {
  readonly workflowId: string;
  readonly end: Exclude<ChildLine['end'], 'running'>;
  readonly spent: Spent;
};

/** Returns what holds for a run that has a slice of its parent's budgets. */
export function withSlice(policy: RunPolicy, slice: Slice | undefined): RunPolicy {
  if (slice === undefined) return policy;
  const { retries, tokens, retryTokens } = slice;
  const retryPercent = tokens === 0 ? 0 : (retryTokens * 100) / tokens;
  return { ...policy, globalRetryBudget: retries, tokens: { target: tokens, retryPercent } };
}

/** Promises a child its slice, at once: nobody else is promised the same. */
export function giveSlice(
  state: RunState,
  child: Pick<ChildLine, 'workflowId' | 'workflow' | 'slice'>,
): RunState {
  const line: ChildLine = { ...child, end: 'running', spent: null };
  return {
    ...state,
    pool: reserve(state.pool, child.slice.retries),
    childLines: [...(state.childLines ?? []), line],
  };
}

/** Books what a child has used of its slice; the rest of it returns. */
export function takeBack(state: RunState, { workflowId, end, spent }: SliceEnd): RunState {
  const lines = state.childLines ?? [];
  const line = lines.findLast((one) => one.workflowId === workflowId && one.end === 'running');
  if (line === undefined) return state;
  const { slice } = line;
  const { retries: _booked, ...sums } = addSpent(spentInAll(state), spent);
  const ended: ChildLine = { ...line, end, spent };
  return {
    ...state,
    pool: settle(state.pool, slice.retries, spent.retries),
    ...sums,
    childLines: shortened(lines.map((one) => (one === line ? ended : one))),
  };
}

/** Charges the children that still run with all of their slices: whoever goes on in this run's place can't hear of them. */
export function chargeRunning(state: RunState): RunState {
  const running = (state.childLines ?? []).filter(({ end }) => end === 'running');
  return running.reduce(
    (charged, { workflowId, slice }) =>
      takeBack(charged, { workflowId, end: 'lost', spent: wholeOf(slice) }),
    state,
  );
}

/** Returns a state with more spent. */
export function bookSpent(state: RunState, spent: Spent): RunState {
  const { retries, ...sums } = addSpent(spentInAll(state), spent);
  return { ...state, pool: { ...state.pool, spent: retries }, ...sums };
}

/** Returns what a child has used that doesn't say it: everything it was given. */
export function wholeOf({ retries, retryTokens }: Slice): Spent {
  return { retries, tokens: { useful: 0, wasted: retryTokens } };
}

/** Returns the tokens that are promised to the failed attempts of children. */
export function promisedTokens({ childLines = [] }: RunState): number {
  return childLines.reduce(
    (sum, { end, slice }) => (end === 'running' ? sum + slice.retryTokens : sum),
    0,
  );
}

/** Forgets the oldest of the children that have ended; those that run are still to be settled. */
function shortened(lines: readonly ChildLine[]): readonly ChildLine[] {
  const surplus = lines.filter(({ end }) => end !== 'running').length - ENDED_KEPT;
  if (surplus <= 0) return lines;
  const dropped = new Set(lines.filter(({ end }) => end !== 'running').slice(0, surplus));
  return lines.filter((line) => !dropped.has(line));
}
