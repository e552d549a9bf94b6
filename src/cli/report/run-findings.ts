import { isInVain } from '../../history/in-vain.js';
import type { ActivityFacts, RunFacts } from '../../history/run-facts.js';
import { isTellingType } from '../../history/telling-type.js';

/** Returns what stands out in a run, a sentence each, in the order of its activities. */
export function runFindings(run: RunFacts): readonly string[] {
  const own = run.failure === null ? [] : [`The workflow ended with: ${run.failure.message}`];
  return [...own, ...run.activities.flatMap(activityFindings)];
}

function activityFindings(activity: ActivityFacts): readonly string[] {
  const { type, attempts, end, lastFailure, retryPolicy, timeouts, call } = activity;
  const findings: string[] = [];
  const tried = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
  const why = lastFailure === null ? '' : `: ${lastFailure.message}`;
  if (end === 'failed' || end === 'timed-out')
    findings.push(`${type} gave up after ${tried}${why}`);
  if (end === 'pending' && attempts > 1) findings.push(`${type} is at attempt ${attempts}${why}`);
  if (attempts > 1 && lastFailure !== null && isInVain(activity)) {
    const advice = isTellingType(lastFailure.type)
      ? `name ${lastFailure.type} in nonRetryableErrorTypes`
      : 'throw it as ApplicationFailure.nonRetryable';
    findings.push(
      `${type} was retried on a failure of class ${lastFailure.class}, which a retry does not cure: ${advice}.`,
    );
  }
  if (call === null && retryPolicy.maximumAttempts === 0 && timeouts.scheduleToCloseMs === null) {
    findings.push(
      `${type} may be retried without end: set maximumAttempts or a scheduleToCloseTimeout.`,
    );
  }
  if (call !== null && call.stop !== null) {
    findings.push(`The retries of ${type} were ended by ${call.stop.replaceAll('-', ' ')}.`);
  }
  return findings;
}
