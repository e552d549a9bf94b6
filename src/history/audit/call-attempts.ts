import { assertNever } from '../../budget/assert-never.js';
import type { ActivityFacts, RunFacts } from '../run-facts.js';

/** What the attempts of one scheduling came to. */
export type CallAttempts = {
  readonly activity: ActivityFacts;
  /** Attempts before it, where the gate has scheduled the call before. */
  readonly before: number;
  /** Attempts that were sent and have ended, by success or by failure. */
  readonly made: number;
  readonly failed: number;
  /** `open`: it still runs or was cancelled. `continued`: the gate schedules the call once more. */
  readonly end: 'ok' | 'failed' | 'open' | 'continued';
};

/**
 * Returns the attempts of a run's calls, in the order of their scheduling. Of an activity that was retried a
 * history holds the number of attempts and the last failure: every attempt before the last one has failed.
 * An attempt that was cancelled or interrupted, waited, or was refused before anything was sent is none.
 */
export function callAttempts({ activities }: RunFacts): readonly CallAttempts[] {
  const before = new Map<string, number>();
  return activities.map((activity) => {
    const call = JSON.stringify([activity.type, activity.call?.key ?? null]);
    const ended = endedAttempts(activity);
    const attempts = { activity, before: before.get(call) ?? 0, ...ended };
    before.set(call, ended.end === 'continued' ? attempts.before + ended.made : 0);
    return attempts;
  });
}

function endedAttempts(activity: ActivityFacts): Pick<CallAttempts, 'made' | 'failed' | 'end'> {
  const { attempts, end, lastFailure, call } = activity;
  const earlier = Math.max(0, attempts - 1);
  switch (end) {
    case 'completed':
      if (call?.isReplayed) return { made: earlier, failed: earlier, end: 'ok' };
      return { made: earlier + 1, failed: earlier, end: 'ok' };
    case 'failed': {
      const isRefused = call !== null && lastFailure?.type === 'breaker-open';
      const made = isRefused ? earlier : attempts;
      return { made, failed: made, end: 'failed' };
    }
    case 'timed-out':
      return { made: attempts, failed: attempts, end: 'failed' };
    case 'canceled':
    case 'pending':
      return { made: earlier, failed: earlier, end: 'open' };
    case 'wait':
    case 'interrupted':
      return { made: earlier, failed: earlier, end: 'continued' };
    default:
      return assertNever(end);
  }
}
