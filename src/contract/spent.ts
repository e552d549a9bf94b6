import { rules } from '../budget/rules.js';
import { isPlainObject } from './json.js';
import type { Tokens } from './outcome.js';
import type { RunCost } from './run-state.js';

/** What a run has used of its budgets. */
export type Spent = {
  readonly retries: number;
  readonly tokens: Tokens;
  /** Absent where nothing cost anything. */
  readonly cost?: RunCost;
};

/** A part of a parent's budgets, given to a child. */
export type Slice = {
  readonly retries: number;
  /** Tokens that the child is expected to need. */
  readonly tokens: number;
  /** Tokens that the child's failed attempts may use. */
  readonly retryTokens: number;
  /** Epoch milliseconds of the workflow's clock, never past the parent's; null where the parent has no deadline. */
  readonly deadlineAt: number | null;
};

/** A child with a slice: what it was given, how it ended, and what it used. */
export type ChildLine = {
  readonly workflowId: string;
  /** The workflow's type. */
  readonly workflow: string;
  readonly slice: Slice;
  /** `lost`: it ended without saying what it had used, so it is charged with all of its slice. */
  readonly end: 'running' | 'ok' | 'failed' | 'cancelled' | 'lost' | 'not-started';
  /** Null while it runs. */
  readonly spent: Spent | null;
};

/** What a run goes on from: the workflow that an earlier try ran under, and what was spent until then. */
export type Inherited = { readonly workflowId: string; readonly spent: Spent };

/** Nothing at all. */
export const nothingSpent: Spent = { retries: 0, tokens: { useful: 0, wasted: 0 } };

/** Returns what a run has used in all, with what it has inherited and what its children used. */
export function spentInAll(run: {
  readonly pool: { readonly spent: number };
  readonly tokens: Tokens;
  readonly cost?: RunCost;
}): Spent {
  const { pool, tokens, cost } = run;
  return { retries: pool.spent, tokens, ...(cost === undefined ? {} : { cost }) };
}

/** Returns what was used of two together. */
export function addSpent(one: Spent, other: Spent): Spent {
  return combined(one, other, 1);
}

/** Returns what is left of a sum without one of its parts. */
export function withoutSpent(all: Spent, part: Spent): Spent {
  return combined(all, part, -1);
}

function combined(one: Spent, other: Spent, sign: 1 | -1): Spent {
  const tokens = summed({ ...one.tokens }, { ...other.tokens }, sign);
  const cost =
    one.cost === undefined && other.cost === undefined
      ? {}
      : { cost: summed(one.cost ?? noCost, other.cost ?? noCost, sign) };
  return { retries: one.retries + sign * other.retries, tokens, ...cost };
}

const noCost: RunCost = { usefulMicros: 0, wastedMicros: 0, unpricedAttempts: 0 };

/** Sums two records of figures field by field. */
function summed<Figures extends Readonly<Record<string, number>>>(
  one: Figures,
  other: Figures,
  sign: 1 | -1,
): Figures {
  const fields = Object.entries(one).map(([name, figure]) => [
    name,
    figure + sign * (other[name] ?? 0),
  ]);
  return Object.fromEntries(fields); // the same fields as before
}

/** Tells whether a value from outside says what was spent. */
export function isSpent(value: unknown): value is Spent {
  if (!isPlainObject(value)) return false;
  const { retries, tokens, cost } = value;
  if (!isFigure(retries) || !hasFigures(tokens, ['useful', 'wasted'])) return false;
  return cost === undefined || hasFigures(cost, Object.keys(noCost));
}

function hasFigures(record: unknown, names: readonly string[]): boolean {
  return isPlainObject(record) && names.every((name) => isFigure(record[name]));
}

function isFigure(value: unknown): boolean {
  return rules.nonNegativeNumber.holds(value);
}
