import type { Schedulings } from './call-schedulings.js';
import type { ActivityFacts } from './run-facts.js';

/**
 * Returns how many attempts a call took. Where holdfast's worker has told its sums they count, as they do for the
 * gate: an attempt that was interrupted, had to wait or was answered by the ledger is none of them.
 */
export function countedAttempts(schedulings: Schedulings): {
  readonly attempts: number;
  readonly isKnown: boolean;
} {
  const last = schedulings.at(-1) ?? schedulings[0];
  const failed = last.call?.failedAttempts ?? null;
  if (failed !== null) return { attempts: failed + underWayOrAnswered(last), isKnown: true };
  const before = last.call?.failedBefore ?? 0;
  return { attempts: before + last.attempts, isKnown: last.attemptsKnown };
}

function underWayOrAnswered({ end, startedAt, call }: ActivityFacts): number {
  if (end === 'completed') return call?.isReplayed === true ? 0 : 1;
  return end === 'pending' && startedAt !== null ? 1 : 0;
}
