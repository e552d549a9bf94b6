import { performance } from 'node:perf_hooks';
import { longestDelayMs } from '../budget/backoff.js';

/** Why an attempt was aborted by its own deadline. */
export class AttemptDeadline extends Error {
  override readonly name = 'TimeoutError';

  constructor(readonly afterMs: number) {
    super(`The attempt was given up after ${afterMs} ms, just before Temporal would have lost it.`);
  }
}

/** A deadline that is running. */
export type RunningDeadline = {
  readonly signal: AbortSignal;
  /** Rejects with the signal's reason when it aborts, for whatever reason. */
  readonly passed: Promise<never>;
  /** Rejects when the time is up, and for no other reason. */
  readonly expired: Promise<never>;
  readonly timeLeftMs: () => number;
  /** Releases timer and listeners. */
  readonly stop: () => void;
};

const MARGIN_SHARE = 0.05;
const LEAST_MARGIN_MS = 20;
const MOST_MARGIN_MS = 500;

/**
 * Returns the milliseconds that an attempt may run: just short of Temporal's own timeouts, so that it
 * reports its end itself. A server-side timeout is then a sign of a lost worker.
 */
export function attemptBudgetMs(timeoutMs: number): number {
  const margin = Math.min(MOST_MARGIN_MS, Math.max(LEAST_MARGIN_MS, timeoutMs * MARGIN_SHARE));
  return Math.max(1, timeoutMs - margin);
}

/** Starts a deadline that also passes when the parent signal aborts. */
export function startDeadline(budgetMs: number, parent: AbortSignal): RunningDeadline {
  const controller = new AbortController();
  const endsAt = performance.now() + budgetMs;
  let refuseExpired: (reason: AttemptDeadline) => void = () => {};
  const expired = new Promise<never>((_, reject) => {
    refuseExpired = reject;
  });
  const onTime = (): void => {
    const reason = new AttemptDeadline(Math.round(budgetMs));
    controller.abort(reason);
    refuseExpired(reason);
  };
  const timer = budgetMs > longestDelayMs ? undefined : setTimeout(onTime, Math.max(0, budgetMs));
  const onParent = (): void => controller.abort(parent.reason);
  if (parent.aborted) onParent();
  else parent.addEventListener('abort', onParent, { once: true });
  const passed = new Promise<never>((_, reject) => {
    const refuse = (): void => reject(controller.signal.reason);
    if (controller.signal.aborted) refuse();
    else controller.signal.addEventListener('abort', refuse, { once: true });
  });
  for (const promise of [passed, expired]) {
    promise.catch(() => {}); // whoever races against it hears of it; nobody has to
  }
  return {
    signal: controller.signal,
    passed,
    expired,
    timeLeftMs: () => Math.max(0, endsAt - performance.now()),
    stop: () => {
      clearTimeout(timer);
      parent.removeEventListener('abort', onParent);
    },
  };
}
