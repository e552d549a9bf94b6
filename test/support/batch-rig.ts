import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { implementTool, type ToolImplementation } from 'holdfast';
import type { BatchInput, BatchProgress, BatchReceipt, BatchResult } from 'holdfast/contract';
import { charge, deliver } from '../batch/fixture/workflows.js';
import { type Rig, startRig } from './rig.js';

/** What the orders of the fixture do. */
export type Shop = {
  /** Customers in the order in which they were charged. */
  readonly charged: string[];
  /** Customers whom the depot refuses at present. */
  readonly refused: Set<string>;
};

/** A rig that runs batches. */
export type BatchRig = Rig & {
  readonly shop: Shop;
  readonly folder: string;
  /** Writes a file of items into the folder. */
  readonly write: (name: string, lines: readonly string[]) => Promise<void>;
  readonly start: (input: BatchInput, options?: StartOptions) => Promise<BatchHandle>;
  readonly result: (input: BatchInput, options?: StartOptions) => Promise<BatchResult>;
};

/** A batch that runs. */
export type BatchHandle = Pick<
  WorkflowHandle,
  'workflowId' | 'cancel' | 'terminate' | 'describe'
> & {
  readonly result: () => Promise<BatchResult>;
  readonly progress: () => Promise<BatchProgress>;
  readonly say: (update: string, word: unknown) => Promise<BatchReceipt>;
};

/** Which batch is started, and under which id. */
export type StartOptions = { readonly type?: string; readonly workflowId?: string };

/** Starts a server and a worker with the batches of the fixture. */
export async function startBatchRig(
  options: {
    /** Name of the fixture's file of workflows. @default 'workflows' */
    readonly workflows?: string;
    readonly dynamicConfig?: Readonly<Record<string, string>>;
  } = {},
): Promise<BatchRig> {
  const { workflows = 'workflows', dynamicConfig = {} } = options;
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-batch-'));
  const shop: Shop = { charged: [], refused: new Set() };
  const rig = await startRig({
    workflows: `test/batch/fixture/${workflows}.js`,
    implementations: shopImplementations(shop),
    batchFolder: folder,
    dynamicConfig: { 'history.transferProcessorMaxPollRPS': '2000', ...dynamicConfig },
  });
  const start: BatchRig['start'] = async (input, options = {}) => {
    const { type = 'batch', workflowId = rig.id(type) } = options;
    const { taskQueue } = rig;
    return handleOf(
      await rig.client.workflow.start(type, { taskQueue, workflowId, args: [input] }),
    );
  };
  return {
    ...rig,
    shop,
    folder,
    write: (name, lines) => writeFile(join(folder, name), lines.join('\n')),
    start,
    result: async (input, options) => (await start(input, options)).result(),
    stop: async () => {
      await rig.stop();
      await rm(folder, { recursive: true });
    },
  };
}

function handleOf(handle: WorkflowHandle): BatchHandle {
  return {
    workflowId: handle.workflowId,
    cancel: () => handle.cancel(),
    terminate: () => handle.terminate(),
    describe: () => handle.describe(),
    result: () => handle.result(),
    progress: () => handle.query<BatchProgress>('holdfast.progress'),
    say: (update, word) => handle.executeUpdate<BatchReceipt, [unknown]>(update, { args: [word] }),
  };
}

function shopImplementations({ charged, refused }: Shop): ToolImplementation[] {
  return [
    implementTool(charge, async ({ customer }) => {
      charged.push(customer);
      return { charged: true };
    }),
    implementTool(deliver, async ({ customer }) => {
      if (refused.has(customer)) throw Object.assign(new Error('closed'), { status: 404 });
      return { sent: true };
    }),
  ] as ToolImplementation[]; // each of its own types, as the worker takes any
}
