import { allocateRetries } from './allocate-retries.js';
import type { PlanNode } from './plan.js';

/** Retries of a run: handed out in all, used up, and promised to calls in flight. */
export type RetryPool = {
  readonly total: number;
  readonly spent: number;
  readonly reserved: number;
};

/** A call that wants retries: what is still planned, and the call's own node. */
export type ShareRequest = {
  readonly pool: RetryPool;
  readonly objective: 'absolute-gain' | 'chain-success';
  /** Nodes still to be called, the call's own among them if it was planned. */
  readonly planned: readonly PlanNode[];
  /** The node of the call; one that isn't in `planned` is a call beyond the plan. */
  readonly node: PlanNode;
};

/** Returns the retries that nobody has been promised. */
export function freeRetries(pool: RetryPool): number {
  return Math.max(0, pool.total - pool.spent - pool.reserved);
}

/**
 * Returns the retries that a call may take: its share of a plan for all that is still to be called
 * (spec, The planner). A call beyond the plan takes at most ceil(free / calls still expected), and
 * leaves what required work still needs. Nodes are taken as checked: tools and policy were, at the start.
 */
export function shareOf({ pool, objective, planned, node }: ShareRequest): number {
  const free = freeRetries(pool);
  if (free === 0 || node.maxRetries === 0) return 0;
  const policy = {
    globalRetryBudget: free,
    consecutiveFailureThreshold: Number.POSITIVE_INFINITY,
    halfOpenAfterCalls: 1,
    objective,
  };
  const own = planned.findIndex(({ id }) => id === node.id);
  if (own >= 0) return allocateRetries(planned, policy)[own] ?? 0;
  const required = planned.filter((other) => other.required);
  const kept = allocateRetries(required, policy).reduce((sum, retries) => sum + retries, 0);
  const even = Math.ceil(free / Math.max(1, planned.length));
  return Math.max(0, Math.min(node.maxRetries, even, free - kept));
}

/** Promises retries to a call. */
export function reserve(pool: RetryPool, share: number): RetryPool {
  return { ...pool, reserved: pool.reserved + share };
}

/** Ends a promise: what was used is spent, what wasn't returns. */
export function settle(pool: RetryPool, share: number, used: number): RetryPool {
  return {
    total: pool.total,
    spent: pool.spent + Math.min(share, used),
    reserved: pool.reserved - share,
  };
}
