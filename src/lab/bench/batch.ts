import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { type BatchProgress, type BatchResult, PROGRESS_QUERY } from '../../contract/batch.js';
import { holdfast } from '../../plugin.js';
import { batchResult, type MeasuredBatch } from './batch-result.js';
import { startPromptServer } from './prompt-server.js';
import type { BenchOptions, BenchResult } from './result.js';

const TASK_QUEUE = 'bench-batch';
const FILE = 'items.jsonl';
const AT_ONCE = 50;
const LOG_EVERY_MS = 10_000;
const full = { items: 100_000, started: 500 };
const quickly = { items: 120, started: 40 };

/**
 * Runs a batch over a file of many items, each a workflow that does nothing, and beside it such workflows that a client
 * starts itself, on one development server.
 */
export async function benchBatch(options: BenchOptions): Promise<BenchResult> {
  const { quick, log } = options;
  const scale = quick ? quickly : { ...full, items: options.items ?? full.items };
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const server = await startPromptServer((line) => log(`(h) ${line}`));
  try {
    await writeFile(join(folder, FILE), '{}\n'.repeat(scale.items));
    const run = (client: Client): Promise<MeasuredBatch> => measure(client, scale, log);
    return batchResult(await withWorker({ address: server.address, folder }, run));
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

async function withWorker<T>(
  { address, folder }: { readonly address: string; readonly folder: string },
  run: (client: Client) => Promise<T>,
): Promise<T> {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const native = await NativeConnection.connect({ address });
  const connection = await Connection.connect({ address });
  const worker = await Worker.create({
    connection: native,
    taskQueue: TASK_QUEUE,
    workflowsPath: fileURLToPath(new URL('./sandbox/batch-workflows.js', import.meta.url)),
    plugins: [holdfast({ batchFolder: folder })],
  });
  try {
    return await worker.runUntil(() => run(new Client({ connection })));
  } finally {
    await connection.close();
    await native.close();
  }
}

async function measure(
  client: Client,
  { items, started }: { readonly items: number; readonly started: number },
  log: BenchOptions['log'],
): Promise<MeasuredBatch> {
  await startThem(client, AT_ONCE); // V8 optimises what has run before
  const before = await startThem(client, started);
  const workflowId = `batch-${randomUUID()}`;
  const startedAt = performance.now();
  const handle = await client.workflow.start('batchOfNothing', {
    taskQueue: TASK_QUEUE,
    workflowId,
    args: [{ file: FILE, concurrency: AT_ONCE }],
  });
  const ended: Promise<BatchResult> = handle.result();
  const isOver = ended.then(() => true);
  while (!(await Promise.race([isOver, pause(LOG_EVERY_MS, false)]))) {
    const seconds = (performance.now() - startedAt) / 1_000;
    log(`(h) ${showProgress(await handle.query<BatchProgress>(PROGRESS_QUERY), items, seconds)}`);
  }
  const result = await ended;
  const batchPerSecond = (1_000 * items) / (performance.now() - startedAt);
  const after = await startThem(client, started);
  const { runs, longest } = await chainOf(client, workflowId);
  return { items, result, batchPerSecond, startedPerSecond: [before, after], runs, longest };
}

/** Returns how many workflows a second are run that a client starts, so many at once. */
async function startThem(client: Client, count: number): Promise<number> {
  const startedAt = performance.now();
  let left = count;
  const runSome = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const workflowId = `started-${randomUUID()}`;
      await client.workflow.execute('nothing', { taskQueue: TASK_QUEUE, workflowId, args: [] });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runSome));
  return (1_000 * count) / (performance.now() - startedAt);
}

function showProgress(progress: BatchProgress, items: number, seconds: number): string {
  const { started, ok, failed, running } = progress;
  const perSecond = ok / seconds;
  const minutesLeft = (items - ok) / perSecond / 60;
  return (
    `${started} of ${items} started, ${ok} ok, ${failed} failed, ${running} running; ` +
    `${perSecond.toFixed(1)} a second, ${minutesLeft.toFixed(0)} minutes left`
  );
}

/** Returns how many runs the batch took one after the other, and the events of the longest. */
async function chainOf(
  client: Client,
  workflowId: string,
): Promise<{ readonly runs: number; readonly longest: number }> {
  let runs = 0;
  let longest = 0;
  for await (const run of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    runs += 1;
    longest = Math.max(longest, run.historyLength ?? 0);
  }
  return { runs, longest };
}
