import { assertNever } from '../../budget/assert-never.js';
import type { ActivityFacts, RunFacts } from '../run-facts.js';

/** What the attempts of one scheduling came to. */
export type CallAttempts = {
  readonly activity: ActivityFacts;
  /** Failed attempts before it, where the gate has scheduled the call before. */
  readonly before: number;
  /** Attempts that were sent and have ended, by success or by failure. */
  readonly made: number;
  readonly failed: number;
  /** `open`: nobody knows its end. `continued`: the gate schedules the call once more. */
  readonly end: 'ok' | 'failed' | 'open' | 'continued';
};

/**
 * Returns the attempts of a run's calls, in the order of their scheduling. Of an activity that was retried a
 * history holds the number of attempts and the last failure: every attempt before the last one has failed.
 * An attempt that was cancelled or interrupted, waited, or was refused before anything was sent is none.
 */
export function callAttempts({ activities }: RunFacts): readonly CallAttempts[] {
  return activities.map((activity) => ({
    activity,
    before: activity.call?.failedBefore ?? 0,
    ...endedAttempts(activity),
  }));
}

function endedAttempts(activity: ActivityFacts): Pick<CallAttempts, 'made' | 'failed' | 'end'> {
  const { attempts, end, lastFailure, call } = activity;
  const earlier = Math.max(0, attempts - 1);
  switch (end) {
    case 'completed': {
      const made = call?.isReplayed ? earlier : Math.max(1, attempts);
      return { made, failed: earlier, end: 'ok' };
    }
    case 'failed': {
      const isRefused = call !== null && lastFailure?.type === 'breaker-open';
      const made = isRefused ? earlier : attempts;
      return { made, failed: made, end: 'failed' };
    }
    case 'timed-out':
      return { made: attempts, failed: attempts, end: 'failed' };
    case 'canceled':
    case 'abandoned':
    case 'pending':
      return { made: earlier, failed: earlier, end: 'open' };
    case 'wait':
    case 'interrupted':
      return { made: earlier, failed: earlier, end: 'continued' };
    default:
      return assertNever(end);
  }
}
