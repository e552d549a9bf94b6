import type { ActivityFacts, RetryPolicyFacts, RunFacts } from '../run-facts.js';

/** From this attempt timeout on, in milliseconds, a lost worker is noticed late unless the activity heartbeats. */
export const longTimeoutMs = 300_000;

/** Settings of a call that a finding may be about. */
export const spots = {
  /** Attempts without number, and no time that ends them. */
  unlimited: (activity, run) => isUnlimited(activity) && boundOf(activity, run) === 'nothing',
  /** Attempts without number, which only the workflow's own timeout ends. */
  unlimitedWithinRun: (activity, run) =>
    isUnlimited(activity) && boundOf(activity, run) === 'the run',
  noStartToClose: (activity) =>
    isOwn(activity) &&
    activity.timeouts.heartbeatMs === null &&
    mayRetry(activity.retryPolicy) &&
    lacksStartToClose(activity),
  noHeartbeat: ({ timeouts: { startToCloseMs, heartbeatMs } }) =>
    heartbeatMs === null && startToCloseMs !== null && startToCloseMs >= longTimeoutMs,
  /** A write that the gate let through without a key. */
  unkeyed: ({ call }) =>
    call !== null && call.mode === 'on' && call.effect !== 'read' && call.key === null,
  /** A write, as the policy says, of which the mode `observe` claims nothing. */
  observedWrite: (activity, run) =>
    activity.call?.mode === 'observe' &&
    activity.call.effect !== 'read' &&
    mayRunAgain(activity, run),
  /** No key protects it, and it may run more than once; whether it is a write nobody has said. */
  unguarded: (activity, run) => activity.call === null && mayRunAgain(activity, run),
} as const satisfies Readonly<Record<string, (activity: ActivityFacts, run: RunFacts) => boolean>>;

/** Name of a setting that a finding may be about. */
export type Spot = keyof typeof spots;

/** Tells whether the policy is the user's own, as far as one is told: no gate, or one that only watches. */
export function isOwn({ call, isLocal }: ActivityFacts): boolean {
  return !isLocal && (call === null || call.mode === 'observe');
}

/** Tells whether a policy allows more than one attempt. */
export function mayRetry({ maximumAttempts }: RetryPolicyFacts): boolean {
  return maximumAttempts !== 1;
}

function isUnlimited(activity: ActivityFacts): boolean {
  return isOwn(activity) && activity.retryPolicy.maximumAttempts === 0;
}

function mayRunAgain({ retryPolicy }: ActivityFacts, run: RunFacts): boolean {
  return mayRetry(retryPolicy) || (run.retryPolicy !== null && mayRetry(run.retryPolicy));
}

/** The server fills in the run's timeout where a call has no scheduleToClose of its own. */
function boundOf(
  { timeouts: { scheduleToCloseMs } }: ActivityFacts,
  { runTimeoutMs, executionTimeoutMs }: RunFacts,
): 'the call' | 'the run' | 'nothing' {
  const runMs = Math.min(runTimeoutMs ?? Infinity, executionTimeoutMs ?? Infinity);
  if (scheduleToCloseMs !== null && scheduleToCloseMs < runMs) return 'the call';
  return runMs === Infinity ? 'nothing' : 'the run';
}

/** The server fills in scheduleToClose where a call has no startToClose. */
function lacksStartToClose({
  timeouts: { startToCloseMs, scheduleToCloseMs },
}: ActivityFacts): boolean {
  if (startToCloseMs === null) return true;
  return scheduleToCloseMs !== null && startToCloseMs >= scheduleToCloseMs;
}
