import type { Context } from '@temporalio/activity';
import type { CallHeader } from '../contract/call-header.js';
import { attemptBudgetMs } from './deadline.js';

/** An attempt, as far as its time goes. */
type TimedAttempt = { readonly context: Context; readonly header: CallHeader };

/**
 * Returns the milliseconds to the task's deadline. Only differences of the server's own times are used: the
 * worker's clock may be off.
 */
export function taskTimeLeftMs({ context, header }: TimedAttempt): number {
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = context.info;
  const spentMs = Math.max(0, currentAttemptScheduledTimestampMs - scheduledTimestampMs);
  return (header.timeLeftMs ?? Number.POSITIVE_INFINITY) - spentMs;
}

/** Returns the milliseconds that an attempt may run. */
export function attemptTimeMs(run: TimedAttempt): number {
  if (run.header.mode === 'observe') return Number.POSITIVE_INFINITY;
  const { startToCloseTimeoutMs } = run.context.info;
  const own = startToCloseTimeoutMs > 0 ? startToCloseTimeoutMs : Number.POSITIVE_INFINITY;
  return attemptBudgetMs(Math.min(own, taskTimeLeftMs(run)));
}
