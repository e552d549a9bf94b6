import { RetryState } from '@temporalio/common';
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { FailureReport } from '../contract/outcome.js';

/**
 * Makes the failure that user code sees where the gate itself ends a call: an ordinary, non-retryable
 * ActivityFailure whose cause has the reason (such as `breaker-open`) as its type and the report as
 * its detail.
 */
export function gateFailure(
  activityType: string,
  report: FailureReport,
  type: string = report.reason,
): ActivityFailure {
  const cause = ApplicationFailure.create({
    type,
    message: report.message,
    nonRetryable: true,
    details: [report],
  });
  return new ActivityFailure(
    report.message,
    activityType,
    undefined,
    RetryState.NON_RETRYABLE_FAILURE,
    undefined,
    cause,
  );
}
