import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { holdfast } from '../../plugin.js';
import type { DevServer } from '../temporal-server.js';
import { type MeasuredWorker, startMeasuredWorker } from './measured-worker.js';
import { overheadResult } from './overhead-result.js';
import { startPromptServer } from './prompt-server.js';
import type { BenchOptions, BenchResult } from './result.js';
import { turned } from './statistics.js';
import { kindOptions, type WorkerKind, workerKinds } from './worker-kinds.js';

/** What one block of workflows of one kind took. */
export type Block = {
  /** CPU milliseconds of the worker's process, for each workflow. */
  readonly cpuMs: number;
  /** Median milliseconds from the start to the result at the client. */
  readonly latencyMs: number;
  /** Of the block's last workflow. */
  readonly historyEvents: number;
  readonly historyBytes: number;
};

/** The blocks of each kind, round by round. */
export type Blocks = Readonly<Record<WorkerKind, Block[]>>;

type Side = { readonly worker: MeasuredWorker<WorkerKind>; readonly client: Client };
type Scale = {
  /** Workflows before the first round: V8 optimises what has run a hundred times. */
  readonly warmUp: number;
  readonly rounds: number;
  readonly perBlock: number;
  /** After this time no further round begins. */
  readonly longestMs: number;
};

const full: Scale = { warmUp: 500, rounds: 40, perBlock: 8, longestMs: 120_000 };
const quickly: Scale = { warmUp: 30, rounds: 6, perBlock: 5, longestMs: 20_000 };

/** Workflows at once while warming up. */
const AT_ONCE = 10;

/**
 * Measures workflows of three activities on one development server, in short blocks by turns: plain,
 * governed as they are (policy module), and through the library. Each kind's worker has its own process.
 */
export async function benchOverhead(options: BenchOptions): Promise<BenchResult> {
  const server = await startPromptServer((line) => options.log(`(b) ${line}`));
  try {
    return overheadResult(await measureOn(server, options));
  } finally {
    await server.stop();
  }
}

async function measureOn(server: DevServer, options: BenchOptions): Promise<Blocks> {
  const { quick, log, profileFolder } = options;
  const connection = await Connection.connect({ address: server.address });
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const workers: MeasuredWorker<WorkerKind>[] = [];
  try {
    for (const kind of workerKinds) {
      log(`(b) starting the ${kind} worker`);
      const bundle = await writeBundle(kind, folder);
      const { address } = server;
      workers.push(await startMeasuredWorker({ kind, address, bundle, profileFolder }));
    }
    const sides = workers.map((worker) => ({ worker, client: clientOf(connection, worker.kind) }));
    return await measureByTurns(sides, quick ? quickly : full, log);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    await connection.close();
    await rm(folder, { recursive: true });
  }
}

/** Bundles apart from the worker: what bundling leaves in memory is no part of running workflows. */
async function writeBundle(kind: WorkerKind, folder: string): Promise<string> {
  const { workflowsPath, plugins } = kindOptions(kind);
  const logger = new DefaultLogger('ERROR');
  const { code } = await bundleWorkflowCode({ workflowsPath, plugins, logger });
  const path = join(folder, `${kind}.js`);
  await writeFile(path, code);
  return path;
}

function clientOf(connection: Connection, kind: WorkerKind): Client {
  return new Client({ connection, plugins: kind === 'plain' ? [] : [holdfast()] });
}

async function measureByTurns(
  sides: readonly Side[],
  { warmUp, rounds, perBlock, longestMs }: Scale,
  log: BenchOptions['log'],
): Promise<Blocks> {
  const blocks: Blocks = { plain: [], adopted: [], library: [] };
  for (const side of sides) await warm(side, warmUp);
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round++) {
    if (performance.now() - startedAt > longestMs) break;
    log(`(b) round ${round + 1} of ${rounds}`);
    for (const side of turned(sides, round)) {
      blocks[side.worker.kind].push(await runBlock(side, perBlock));
    }
  }
  return blocks;
}

async function warm(side: Side, workflows: number): Promise<void> {
  for (let done = 0; done < workflows; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => runOne(side)));
  }
}

async function runOne({ worker, client }: Side): Promise<string> {
  const workflowId = `${worker.kind}-${randomUUID()}`;
  await client.workflow.execute('settleTicket', {
    taskQueue: worker.taskQueue,
    workflowId,
    args: [{ ticketId: workflowId, text: 'The order never came.' }],
  });
  return workflowId;
}

async function runBlock({ worker, client }: Side, workflows: number): Promise<Block> {
  const before = await worker.cpuMs();
  const latencies: number[] = [];
  let workflowId = '';
  for (let done = 0; done < workflows; done++) {
    const startedAt = performance.now();
    workflowId = await runOne({ worker, client });
    latencies.push(performance.now() - startedAt);
  }
  const cpuMs = ((await worker.cpuMs()) - before) / workflows;
  const { historyLength, historySize } = await client.workflow.getHandle(workflowId).describe();
  return {
    cpuMs,
    latencyMs: latencies.toSorted((a, b) => a - b)[Math.floor(workflows / 2)] ?? Number.NaN,
    historyEvents: historyLength,
    historyBytes: historySize ?? Number.NaN,
  };
}
