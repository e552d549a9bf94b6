import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { holdfast } from '../../plugin.js';
import { createUpstream, type Upstream } from '../upstream/index.js';
import { type AgentKind, agentKinds, agentWorkflows } from './agent-kinds.js';
import { agentResult } from './agent-result.js';
import { type MeasuredWorker, startMeasuredWorker } from './measured-worker.js';
import { startPromptServer } from './prompt-server.js';
import type { BenchOptions, BenchResult } from './result.js';
import { turned } from './statistics.js';

/** What one block of tickets of one kind took. */
export type AgentBlock = {
  /** Answers of the model, for each second of the block. */
  readonly turnsPerSecond: number;
  /** CPU milliseconds of the worker's process, for each answer. */
  readonly cpuMs: number;
  /** Of the block's first ticket. */
  readonly historyBytes: number;
};

/** The blocks of each kind, round by round. */
export type AgentBlocks = Readonly<Record<AgentKind, AgentBlock[]>>;

type Scale = {
  /** Tickets before the first round. */
  readonly warmUp: number;
  readonly rounds: number;
  /** Tickets of a block, all at once. */
  readonly perBlock: number;
  /** After this time no further round begins. */
  readonly longestMs: number;
};

const full: Scale = { warmUp: 50, rounds: 20, perBlock: 10, longestMs: 90_000 };
const quickly: Scale = { warmUp: 4, rounds: 2, perBlock: 4, longestMs: 15_000 };

/** A model's answers for this: look up, pay back, write, and say that it is done. */
const ticket = {
  id: 'ticket-1',
  from: 'somebody@example.com',
  subject: 'Kettle stopped working',
  body: 'The kettle from order ORD-1003 is broken. Please refund it.',
};

type Bench = {
  readonly upstream: Upstream;
  readonly client: Client;
  readonly log: (line: string) => void;
};

/**
 * Measures an agent's turns on one development server against one model and shop, in blocks by turns: by a workflow
 * of plain activities, and by holdfast's loop with its ledger, its store and its budgets.
 */
export async function benchAgent(options: BenchOptions): Promise<BenchResult> {
  const log = (line: string): void => options.log(`(i) ${line}`);
  const server = await startPromptServer(log);
  const upstream = createUpstream();
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const workers: MeasuredWorker<AgentKind>[] = [];
  const connection = await Connection.connect({ address: server.address });
  try {
    const { url } = await upstream.start();
    for (const kind of agentKinds) {
      log(`starting the ${kind} worker`);
      const bundle = await writeBundle(kind, folder);
      const { address } = server;
      const script = 'agent-worker-process.js';
      workers.push(
        await startMeasuredWorker({ kind, address, bundle, script, more: [url, folder] }),
      );
    }
    const bench = { upstream, client: new Client({ connection }), log };
    return agentResult(await measureByTurns(bench, workers, options.quick ? quickly : full));
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    await connection.close();
    await upstream.stop();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

async function writeBundle(kind: AgentKind, folder: string): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: agentWorkflows(kind),
    plugins: kind === 'plain' ? [] : [holdfast()],
    logger: new DefaultLogger('ERROR'),
  });
  const path = join(folder, `${kind}.js`);
  await writeFile(path, code);
  return path;
}

async function measureByTurns(
  bench: Bench,
  workers: readonly MeasuredWorker<AgentKind>[],
  { warmUp, rounds, perBlock, longestMs }: Scale,
): Promise<AgentBlocks> {
  const blocks: AgentBlocks = { plain: [], loop: [] };
  for (const worker of workers) {
    for (let done = 0; done < warmUp; done += perBlock) await runBlock(bench, worker, perBlock);
  }
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round++) {
    if (performance.now() - startedAt > longestMs) break;
    bench.log(`round ${round + 1} of ${rounds}`);
    for (const worker of turned(workers, round)) {
      blocks[worker.kind].push(await runBlock(bench, worker, perBlock));
    }
  }
  return blocks;
}

async function runBlock(
  { upstream, client }: Bench,
  worker: MeasuredWorker<AgentKind>,
  tickets: number,
): Promise<AgentBlock> {
  upstream.reset();
  const before = await worker.cpuMs();
  const startedAt = performance.now();
  const ids = await Promise.all(
    Array.from({ length: tickets }, async () => {
      const workflowId = `${worker.kind}-${randomUUID()}`;
      const { taskQueue } = worker;
      const args = [{ prompt: JSON.stringify(ticket) }];
      await client.workflow.execute('workOnTicket', { taskQueue, workflowId, args });
      return workflowId;
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuMs = (await worker.cpuMs()) - before;
  const turns = upstream.stats().routes.chat.requests;
  const { historySize } = await client.workflow.getHandle(ids[0] ?? '').describe();
  return {
    turnsPerSecond: turns / seconds,
    cpuMs: cpuMs / turns,
    historyBytes: historySize ?? Number.NaN,
  };
}
