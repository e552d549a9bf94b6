import { ApplicationFailure } from '@temporalio/workflow';
import { InvalidRequestError } from '../budget/errors.js';
import { showValue } from '../budget/show-value.js';

/**
 * Returns an invalid request as the failure that ends a workflow for good. A plain throw would fail the
 * workflow task instead, which Temporal repeats for ever.
 */
export function invalidRequestFailure(error: InvalidRequestError): ApplicationFailure {
  return ApplicationFailure.create({
    type: error.kind,
    message: error.message,
    nonRetryable: true,
    details: [
      { faults: error.faults.map((fault) => ({ ...fault, value: showValue(fault.value) })) },
    ],
  });
}

/**
 * Does what may find a request invalid.
 * @throws ApplicationFailure in place of InvalidRequestError, so that the workflow fails for good
 */
export function refuseInvalid<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof InvalidRequestError) throw invalidRequestFailure(error);
    throw error;
  }
}
