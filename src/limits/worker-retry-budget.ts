import { RatioBudget } from '../budget/ratio-budget.js';
import { allOnce } from './once.js';
import type { RetryBudget, RetryDecision } from './retry-budget.js';
import { RetryWindows } from './retry-windows.js';

/** Returns the retry budget of a worker on its own; `now` is in milliseconds and never steps back. */
export function createWorkerRetryBudget(now: () => number): RetryBudget {
  const windows = new RetryWindows(({ ratio }) => new RatioBudget(ratio.windowMs));
  return {
    callSent: (key) => {
      const nowMs = now();
      const counted = windows.of(key, nowMs).map((budget) => {
        const call = budget.callSent(nowMs);
        return () => budget.takeBack(call);
      });
      return { takeBack: allOnce(counted) };
    },
    decide: async (key, { dueInMs }): Promise<RetryDecision> => {
      const nowMs = now();
      const budgets = windows.of(key, nowMs);
      if (!budgets.every((budget) => budget.allows(key.ratio, nowMs))) {
        return { allowed: false, by: 'worker', refund: () => {} };
      }
      const charged = budgets.map((budget) => {
        const retry = budget.charge(nowMs + dueInMs);
        return () => budget.refund(retry);
      });
      return { allowed: true, by: 'worker', refund: allOnce(charged) };
    },
    close: async () => {},
  };
}
