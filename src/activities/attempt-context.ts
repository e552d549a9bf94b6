import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallHeader } from '../contract/call-header.js';
import type { Usage } from './attempt-usage.js';

/** What one governed attempt knows of itself. */
export type Attempt = {
  readonly header: CallHeader;
  /** Number of the attempt over all workers and reschedules, from 1. */
  readonly attempt: number;
  readonly retriesLeft: number;
  /** Aborted at the deadline, on cancellation, and when the worker shuts down. */
  readonly signal: AbortSignal;
  /** Milliseconds to the attempt's deadline, by a monotonic clock. */
  readonly timeLeftMs: () => number;
  /** Books what the attempt used. */
  readonly addUsage: (usage: Usage) => void;
  /** Notes what it will have used if its end is a timeout that nobody tells the figures of. */
  readonly expectUsage: (expected: () => Usage) => void;
};

const attempts = new AsyncLocalStorage<Attempt>();

/** Runs a function as part of an attempt. */
export function runInAttempt<T>(attempt: Attempt, run: () => T): T {
  return attempts.run(attempt, run);
}

/** Returns the attempt that the caller is part of; undefined in an ungoverned activity. */
export function currentAttempt(): Attempt | undefined {
  return attempts.getStore();
}
