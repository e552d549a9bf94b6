import { Client, type WorkflowHandle } from '@temporalio/client';
import type { TaskResult } from 'holdfast/contract';
import { taskImplementations } from '../workflows/fixture/task-implementations.js';
import { type Rig, startRig } from './rig.js';

/** A rig that runs agent tasks. */
export type TaskRig = Rig & {
  /** Starts a task by a client that knows nothing of holdfast, as the command line does. */
  readonly start: (task: unknown) => Promise<WorkflowHandle>;
  /** Starts a task and returns its result. */
  readonly result: (task: unknown) => Promise<TaskResult>;
};

/** Starts a server and a worker with the tools of the task fixture. */
export async function startTaskRig(): Promise<TaskRig> {
  const rig = await startRig({
    workflows: 'test/workflows/fixture/task-workflows.js',
    implementations: taskImplementations(),
    // the server hands out 20 tasks a second otherwise
    dynamicConfig: { 'history.transferProcessorMaxPollRPS': '2000' },
  });
  const plain = new Client({ connection: rig.client.connection });
  const start = (task: unknown): Promise<WorkflowHandle> =>
    plain.workflow.start('agentTask', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('task'),
      args: [task],
    });
  return { ...rig, start, result: async (task) => (await start(task)).result() };
}
