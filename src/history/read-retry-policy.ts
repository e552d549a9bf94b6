import { asList, asMessage, asNumber, asText, durationMs, isPresent } from './raw-values.js';
import type { ActivityFacts, RetryPolicyFacts } from './run-facts.js';

/** Returns a retry policy; null where there is none. */
export function readRetryPolicy(value: unknown): RetryPolicyFacts | null {
  if (!isPresent(value)) return null;
  const policy = asMessage(value);
  return {
    initialIntervalMs: durationMs(policy.initialInterval) ?? 0,
    backoffCoefficient: asNumber(policy.backoffCoefficient),
    maximumIntervalMs: durationMs(policy.maximumInterval),
    maximumAttempts: asNumber(policy.maximumAttempts),
    nonRetryableErrorTypes: asList(policy.nonRetryableErrorTypes).map(asText),
  };
}

/** What the server does with an activity that has no retry policy: it doesn't retry it. */
export const noRetries: RetryPolicyFacts = {
  initialIntervalMs: 0,
  backoffCoefficient: 1,
  maximumIntervalMs: null,
  maximumAttempts: 1,
  nonRetryableErrorTypes: [],
};

/** Returns the timeouts of an activity, null where one isn't set. */
export function readTimeouts(value: unknown): ActivityFacts['timeouts'] {
  const scheduled = asMessage(value);
  return {
    scheduleToCloseMs: durationMs(scheduled.scheduleToCloseTimeout),
    scheduleToStartMs: durationMs(scheduled.scheduleToStartTimeout),
    startToCloseMs: durationMs(scheduled.startToCloseTimeout),
    heartbeatMs: durationMs(scheduled.heartbeatTimeout),
  };
}
