import type { Client, WorkflowHandle } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { UsageError } from '../cli-errors.js';

/** What is started. */
export type StartRequest = {
  readonly type: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly args: readonly unknown[];
  /** Runs a workflow anew that has ended well before. */
  readonly again: boolean;
};

/** A run, and whether this start began it. */
export type StartedRun = {
  readonly handle: WorkflowHandle;
  readonly runId: string;
  /** `joined`: it runs already; `ended-before`: it has ended well, and isn't run again. */
  readonly how: 'started' | 'joined' | 'ended-before';
};

/**
 * Starts a workflow, or joins the one of its id: asked twice it runs once. One that failed, was cancelled or
 * terminated is run again under its id, so that effects which have happened aren't caused again.
 * @throws UsageError where the id is that of a workflow of another type
 */
export async function startRun(client: Client, request: StartRequest): Promise<StartedRun> {
  const { type, workflowId, taskQueue, args, again } = request;
  try {
    const handle = await client.workflow.start(type, {
      workflowId,
      taskQueue,
      args: [...args],
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: again ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
    });
    return { handle, runId: handle.firstExecutionRunId, how: 'started' };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const handle = client.workflow.getHandle(workflowId);
    const { runId, status, type: other } = await handle.describe();
    if (other !== type) {
      throw new UsageError(
        `${workflowId} is a workflow of the type ${other}, not ${type}: name another --id.`,
      );
    }
    return { handle, runId, how: status.name === 'RUNNING' ? 'joined' : 'ended-before' };
  }
}
