import type { BreakerState } from '../budget/breaker.js';
import type { ErrorClass } from '../budget/classify-types.js';
import type { Undo } from './compensation.js';
import type { DeliveredPolicy } from './delivered-policy.js';
import type { CallReport, ExhaustionReason, OutcomeKind, Tokens } from './outcome.js';
import type { Mode } from './policy.js';
import type { ChildLine, Inherited, Slice } from './spent.js';

/** Retries of a run: handed out in all, used up, and promised to calls in flight. */
export type Pool = { readonly total: number; readonly spent: number; readonly reserved: number };

/**
 * What a run's attempts cost, in millionths of a currency unit. Attempts at models without a known price are in
 * neither sum: where there are any, the run cost more.
 */
export type RunCost = {
  readonly usefulMicros: number;
  readonly wastedMicros: number;
  readonly unpricedAttempts: number;
};

/** A node of the plan: a step of the chain, or a call that a tool is expected to make. */
export type Planned = {
  readonly id: string;
  readonly tool: string;
  readonly required: boolean;
};

/** One line of what a run did. */
export type CallLine = Omit<CallReport, 'downstream' | 'blind' | 'replayed'> & {
  readonly kind: OutcomeKind | 'cancelled';
  readonly class?: ErrorClass | null;
  readonly reason?: ExhaustionReason;
};

/** How often what stood in for a tool: `{ search: { text: 2, disabled: 1 } }`. */
export type FallbackCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Everything that governs a run: plain JSON, carried over continue-as-new, shown by `holdfast.state`. */
export type RunState = {
  readonly v: 1;
  /** Runs in the chain of continue-as-news, this one included. */
  readonly run: number;
  readonly policyVersion: string;
  readonly mode: Mode;
  readonly tenant?: string;
  /** The policy in force, where it didn't come with the workflow's code. */
  readonly policy?: DeliveredPolicy;
  /** What the run may use of its parent's budgets, where it is a child with a slice. */
  readonly slice?: Slice;
  /** What an earlier try had spent: `pool` and `tokens` begin with it. */
  readonly inherited?: Inherited;
  /** Epoch milliseconds of the workflow's clock; null without a deadline. */
  readonly deadlineAt: number | null;
  /** True where the deadline is the task's own: a policy that changes doesn't move it. */
  readonly deadlineIsOwn?: boolean;
  /** Since when the deadline stands still because a person decides; absent while it runs. */
  readonly pausedAt?: number;
  /** Child workflows started so far, by their type: their ids are made of it. */
  readonly children?: Readonly<Record<string, number>>;
  readonly pool: Pool;
  /** What is still planned: the chain's steps, or expected calls. */
  readonly planned: readonly Planned[];
  readonly interruptionsLeft: number;
  readonly breakers: Readonly<Record<string, BreakerState>>;
  readonly counts: Readonly<Record<OutcomeKind | 'cancelled', number>>;
  readonly calls: number;
  readonly attempts: number;
  readonly retries: number;
  readonly tokens: Tokens;
  /** Absent while nothing cost anything. */
  readonly cost?: RunCost;
  /** The last calls, the oldest first. */
  readonly lines: readonly CallLine[];
  /** Answers that something stood in for, by the tool and by what stood in; absent while there are none. */
  readonly aiFallback?: FallbackCounts;
  /** Children with a slice: those that run, and the last ones that ended. */
  readonly childLines?: readonly ChildLine[];
  /** What undoing may cost and has cost; absent while nothing was undone. */
  readonly undo?: UndoBudget;
  /** What was undone, the first first. */
  readonly compensations?: readonly Undo[];
};

/** The figures that undoing has apart from the run's own. */
export type UndoBudget = Pick<
  RunState,
  | 'deadlineAt'
  | 'pausedAt'
  | 'pool'
  | 'planned'
  | 'interruptionsLeft'
  | 'counts'
  | 'attempts'
  | 'retries'
  | 'tokens'
  | 'cost'
>;

/** What a run did and spent, as `holdfast.report` and failures carry it. */
export type RunReport = Pick<
  RunState,
  | 'mode'
  | 'policyVersion'
  | 'pool'
  | 'counts'
  | 'calls'
  | 'attempts'
  | 'retries'
  | 'tokens'
  | 'cost'
  | 'lines'
  | 'interruptionsLeft'
  | 'aiFallback'
  | 'undo'
  | 'compensations'
  | 'childLines'
  | 'inherited'
> & {
  readonly breakers: Readonly<Record<string, BreakerState>>;
};
