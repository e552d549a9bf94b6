import assert from 'node:assert/strict';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';

/** Waits for a run's end, which has to be Cancelled. */
export async function assertCancelled(
  handle: Pick<WorkflowHandle, 'result' | 'describe'>,
): Promise<void> {
  await assert.rejects(handle.result(), (error: unknown) => {
    assert.ok(error instanceof WorkflowFailedError);
    assert.ok(error.cause instanceof CancelledFailure);
    return true;
  });
  assert.equal((await handle.describe()).status.name, 'CANCELLED');
}
