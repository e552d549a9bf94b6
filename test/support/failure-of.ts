import assert from 'node:assert/strict';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';

/** Returns the failure by which a workflow ends: of its handle, or of the promise of its result. */
export async function failureOf(
  workflow: Promise<unknown> | Pick<WorkflowHandle, 'result'>,
): Promise<ApplicationFailure> {
  const result = 'result' in workflow ? workflow.result() : workflow;
  const error = await result.then(
    () => assert.fail('the workflow did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof WorkflowFailedError);
  assert.ok(error.cause instanceof ApplicationFailure);
  return error.cause;
}
