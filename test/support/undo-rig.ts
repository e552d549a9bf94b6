import type { WorkflowHandle } from '@temporalio/client';
import type { Task } from 'holdfast/contract';
import { type Happened, undoImplementations } from '../workflows/fixture/undo-implementations.js';
import type { SagaDone, SagaPlan } from '../workflows/fixture/undo-workflows.js';
import { type Rig, startRig } from './rig.js';

/** A rig that runs tasks and sagas which are undone. */
export type UndoRig = Rig & {
  /** Every attempt that ran, in order: tool and note. */
  readonly happened: Happened;
  /** Tool and idempotency key of each attempt, by its note. */
  /** What happened to notes that begin so. */
  readonly happenedTo: (prefix: string) => string[];
  readonly keys: ReadonlyMap<string, readonly string[]>;
  readonly startTask: (task: Task) => Promise<WorkflowHandle>;
  readonly startSaga: (
    plan: SagaPlan,
  ) => Promise<WorkflowHandle<(plan: SagaPlan) => Promise<SagaDone>>>;
};

/** Starts a server and a worker with the tools of the undo tests. */
export async function startUndoRig(): Promise<UndoRig> {
  const happened: Happened = [];
  const keys = new Map<string, string[]>();
  const rig = await startRig({
    workflows: 'test/workflows/fixture/undo-workflows.js',
    implementations: undoImplementations(happened, keys),
    // the server hands out 20 tasks a second otherwise
    dynamicConfig: { 'history.transferProcessorMaxPollRPS': '2000' },
  });
  const { client, taskQueue } = rig;
  const start = (type: string, name: string, arg: unknown): Promise<WorkflowHandle> =>
    client.workflow.start(type, { taskQueue, workflowId: rig.id(name), args: [arg] });
  return {
    ...rig,
    happened,
    happenedTo: (prefix) => happened.filter((line) => line.split(' ')[1]?.startsWith(prefix)),
    keys,
    startTask: (task) => start('undoTask', 'task', task),
    startSaga: (plan) => start('saga', 'saga', plan),
  };
}
