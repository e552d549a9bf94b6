import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { holdfast } from 'holdfast';
import type { RunState, Task } from 'holdfast/contract';
import type { Plan } from '../workflows/fixture/workflows.js';
import { type CrashRig, startCrashRig } from './crash-rig.js';
import { type Recording, recordingOf } from './recording.js';
import { startUngoverned } from './ungoverned-worker.js';

/** Where runs are recorded. */
export type Recorder = {
  readonly rig: CrashRig;
  /** Starts a run with holdfast's client, with the name as its id. */
  readonly start: (name: string, workflow: string, ...args: unknown[]) => Promise<WorkflowHandle>;
  /** As `start`, with a client that doesn't know holdfast. */
  readonly startPlainly: Recorder['start'];
  /** As `start`, with search attributes and memo. */
  readonly startIndexed: Recorder['start'];
  /** Waits for a run's end, in whatever way, and records it. */
  readonly record: (handle: WorkflowHandle, runId?: string) => Promise<Recording>;
  readonly stop: () => Promise<void>;
};

/** Starts server and clients that sign as `test`, so that no history names its machine. */
export async function startRecorder(): Promise<Recorder> {
  const rig = await startCrashRig();
  const connection = await Connection.connect({ address: rig.address });
  const plain = new Client({ connection, identity: 'test' });
  const client = new Client({ connection, identity: 'test', plugins: [rig.plugin] });
  const shown = holdfast({ searchAttributes: true });
  const indexed = new Client({ connection, identity: 'test', plugins: [shown] });
  const startWith =
    (own: Client): Recorder['start'] =>
    (name, workflow, ...args) =>
      own.workflow.start(workflow, {
        taskQueue: rig.taskQueue,
        workflowId: `recorded-${name}`,
        args,
      });
  return {
    rig,
    start: startWith(client),
    startPlainly: startWith(plain),
    startIndexed: startWith(indexed),
    record: async ({ workflowId }, runId) => {
      const handle = client.workflow.getHandle(workflowId, runId);
      await untilClosed(handle);
      const state = await handle.query<RunState | null>('holdfast.state');
      const history = await handle.fetchHistory();
      const workflow = (await handle.describe()).type;
      return recordingOf({ workflow, workflowId, state, history });
    },
    stop: async () => {
      await connection.close();
      await rig.stop();
    },
  };
}

async function untilClosed(handle: WorkflowHandle): Promise<void> {
  while ((await handle.describe()).status.name === 'RUNNING') await sleep(20);
}

/** Records a run whose only worker is lost, or leaves, in the attempt named. */
export async function recordInterrupted(
  recorder: Recorder,
  run: {
    readonly name: string;
    /** @default 'calls' */
    readonly workflow?: string;
    readonly plan: Plan | Task;
    readonly at: string;
    readonly by: 'kill' | 'shutDown';
    /** What happens to the run once another worker has it. */
    readonly afterwards?: (handle: WorkflowHandle) => Promise<void>;
  },
): Promise<Recording> {
  const { rig } = recorder;
  const handle = await recorder.start(run.name, run.workflow ?? 'calls', run.plan);
  const leaving = await rig.children.start({ stallAt: [run.at] });
  await leaving.attempted(run.at);
  await leaving[run.by]();
  const rescuer = await rig.startRescuer();
  try {
    await run.afterwards?.(handle);
    return await recorder.record(handle);
  } finally {
    await rescuer.stop();
  }
}

/** Records a run by a worker that doesn't know holdfast. */
export async function recordUngoverned(
  recorder: Recorder,
  name: string,
  ...args: unknown[]
): Promise<Recording> {
  const { rig } = recorder;
  const worker = await startUngoverned(rig);
  try {
    const handle = await recorder.startPlainly(name, 'plainPages', ...args);
    await untilClosed(handle);
    const history = await handle.fetchHistory();
    return recordingOf({
      workflow: 'plainPages',
      workflowId: handle.workflowId,
      state: null,
      history,
    });
  } finally {
    await worker.stop();
  }
}

/** Records each run of a chain that continued as new. */
export async function recordChain(
  recorder: Recorder,
  handle: WorkflowHandle & { readonly firstExecutionRunId?: string },
): Promise<Recording[]> {
  const recordings: Recording[] = [];
  let runId = handle.firstExecutionRunId;
  while (runId !== undefined) {
    const recording = await recorder.record(handle, runId);
    recordings.push(recording);
    runId = nextRun(recording.history);
  }
  return recordings;
}

/** A history in JSON as far as it is read here. */
type LastEvent = {
  readonly workflowExecutionContinuedAsNewEventAttributes?: {
    readonly newExecutionRunId?: string;
  };
};

function nextRun(history: object): string | undefined {
  const { events } = history as { readonly events: readonly LastEvent[] }; // Temporal's form
  return events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
}
