import type { ActivityFacts } from './run-facts.js';

type Ended = Pick<ActivityFacts, 'end' | 'lastFailure' | 'retryState'>;

const unanswered: ReadonlySet<ActivityFacts['end']> = new Set([
  'failed',
  'timed-out',
  'pending',
  'abandoned',
  'canceled',
]);

/**
 * Tells whether a call was retried, if it was, on a failure that no retry mends. Of a call's failures only the last
 * one is known: the earlier ones are taken to be like it, unless it is what ended the retries. A retry that was
 * answered was worth it, and a cancellation is nobody's failure.
 */
export function isInVain(ended: Ended): boolean {
  const { end, lastFailure } = ended;
  if (lastFailure === null || !unanswered.has(end) || wasStopped(ended)) return false;
  return !lastFailure.retryable && lastFailure.class !== 'cancelled';
}

/** Tells whether the last failure itself ended the retries: those before it were for other ones. */
export function wasStopped({ lastFailure, retryState }: Omit<Ended, 'end'>): boolean {
  return lastFailure?.nonRetryable === true || retryState === 'NON_RETRYABLE_FAILURE';
}
