import { setImmediate } from 'node:timers/promises';
import { RatioBudget, type RatioFigures } from '../../../budget/ratio-budget.js';
import {
  createMemoryFleetStore,
  createRetryBudget,
  type RetryBudget,
} from '../../../limits/index.js';
import type { Allowance } from './strategy.js';

/** Returns an allowance by a ratio budget for each client. */
export function ratioAllowance(figures: RatioFigures): Allowance {
  const budgets = perClient(() => new RatioBudget(figures.windowMs));
  return {
    attemptSent: (client, nowMs) => void budgets(client).callSent(nowMs),
    mayRetry: (client, dueMs, nowMs) => {
      const budget = budgets(client);
      if (!budget.allows(figures, nowMs)) return false;
      budget.charge(dueMs);
      return true;
    },
  };
}

/**
 * Returns an allowance by one budget that all clients share through a store, each with its part of it. The store
 * answers at once by the simulated clock.
 */
export function fleetAllowance(ratio: RatioFigures): Allowance {
  let clockMs = 0;
  const now = (): number => clockMs;
  const store = createMemoryFleetStore({ now });
  // the machine's clock, which ends waits for a store, has nothing to do with the simulated one
  const budgets = perClient(() => createRetryBudget({ store, now, answerWithinMs: 600_000 }));
  const key = { downstream: 'storm', ratio };
  const at = (client: number, nowMs: number): RetryBudget => {
    clockMs = nowMs;
    return budgets(client);
  };
  return {
    attemptSent: (client, nowMs) => void at(client, nowMs).callSent(key),
    mayRetry: async (client, dueMs, nowMs) => {
      const decision = await at(client, nowMs).decide(key, { dueInMs: dueMs - nowMs });
      return decision.allowed;
    },
    settled: () => setImmediate(),
  };
}

/**
 * Returns the allowance of V97's and V98's study (`adaptive`): each client has a bucket of retries that begins full,
 * and into which each of its calls puts a share of one.
 */
export function tokenBucketAllowance(bucket: {
  readonly size: number;
  readonly perCall: number;
}): Allowance {
  const buckets = perClient(() => ({ tokens: bucket.size }));
  return {
    callBegins: (client) => {
      const held = buckets(client);
      held.tokens = Math.min(bucket.size, held.tokens + bucket.perCall);
    },
    mayRetry: (client) => {
      const held = buckets(client);
      if (held.tokens <= 1) return false;
      held.tokens -= 1;
      return true;
    },
  };
}

/**
 * Returns the allowance that V97's and V98's study calls a breaker: no retry once a client's failures are more than a
 * share of its calls. Both are counted from the beginning; retries are no calls, and their failures are failures.
 */
export function failureShareAllowance(most: number): Allowance {
  const counts = perClient(() => ({ calls: 0, failures: 0 }));
  return {
    callBegins: (client) => {
      counts(client).calls += 1;
    },
    attemptFailed: (client) => {
      counts(client).failures += 1;
    },
    mayRetry: (client) => {
      const seen = counts(client);
      return seen.failures / seen.calls <= most;
    },
  };
}

/** Returns what clients have of their own; made when it is first asked for, since most of a million never do. */
function perClient<Kept>(make: () => Kept): (client: number) => Kept {
  const kept = new Map<number, Kept>();
  return (client) => {
    const known = kept.get(client);
    if (known !== undefined) return known;
    const made = make();
    kept.set(client, made);
    return made;
  };
}
