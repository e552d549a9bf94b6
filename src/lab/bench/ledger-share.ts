import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundle,
} from '@temporalio/worker';
import { implementTool } from '../../activities/implement-tool.js';
import type { Ledger } from '../../ledger/index.js';
import { holdfast } from '../../plugin.js';
import { type Refund, readTool, writeTool } from './effect-tools.js';
import { startPromptServer } from './prompt-server.js';
import type { BenchOptions, Measure } from './result.js';
import { spreadOf, turned } from './statistics.js';

type Side = {
  readonly taskQueue: string;
  readonly workflowType: 'readOnce' | 'writeOnce';
};
type Scale = {
  /** Workflows of each side before the first round. */
  readonly warmUp: number;
  readonly rounds: number;
  readonly perBlock: number;
  readonly longestMs: number;
};

const full: Scale = { warmUp: 100, rounds: 30, perBlock: 7, longestMs: 60_000 };
const quickly: Scale = { warmUp: 4, rounds: 2, perBlock: 3, longestMs: 10_000 };

/** Workflows at once while warming up. */
const atOnce = 10;

const titles: Readonly<Record<Ledger['kind'], string>> = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
};

/**
 * Measures a workflow of one call as a write under each ledger, and as a read, by turns; says which share of
 * a write's latency is the ledger's.
 */
export async function measureShares(
  ledgers: readonly Ledger[],
  options: BenchOptions,
): Promise<readonly Measure[]> {
  const log = (line: string): void => options.log(`(d) ${line}`);
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const server = await startPromptServer(log);
  const connection = await Connection.connect({ address: server.address });
  const native = await NativeConnection.connect({ address: server.address });
  try {
    const bundle = await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('./sandbox/effect-workflows.js', import.meta.url)),
      plugins: [holdfast()],
      logger: new DefaultLogger('ERROR'),
    });
    const client = new Client({ connection, plugins: [holdfast()] });
    const workers = await Promise.all(
      ledgers.map((ledger) => createWorker({ connection: native, bundle, ledger })),
    );
    const measured = measureByTurns(client, ledgers, {
      scale: options.quick ? quickly : full,
      log,
    });
    const running = workers.map((worker) => worker.runUntil(measured));
    await Promise.all(running);
    return sharesOf(ledgers, await measured);
  } finally {
    await native.close();
    await connection.close();
    await server.stop();
  }
}

function createWorker(options: {
  readonly connection: NativeConnection;
  readonly bundle: WorkflowBundle;
  readonly ledger: Ledger;
}): Promise<Worker> {
  const { connection, bundle, ledger } = options;
  const answer = async (refund: Refund): Promise<Refund> => refund;
  const implementations = [implementTool(readTool, answer), implementTool(writeTool, answer)];
  return Worker.create({
    connection,
    taskQueue: queueOf(ledger),
    workflowBundle: bundle,
    plugins: [holdfast({ implementations, ledger })],
  });
}

function queueOf({ kind }: Ledger): string {
  return `bench-${kind}`;
}

/** Milliseconds of each round, by task queue. */
type Latencies = ReadonlyMap<string, { readonly read: number[]; readonly write: number[] }>;

async function measureByTurns(
  client: Client,
  ledgers: readonly Ledger[],
  { scale, log }: { readonly scale: Scale; readonly log: BenchOptions['log'] },
): Promise<Latencies> {
  const sides = ledgers.map(queueOf).flatMap((taskQueue): readonly Side[] => [
    { taskQueue, workflowType: 'readOnce' },
    { taskQueue, workflowType: 'writeOnce' },
  ]);
  const latencies: Latencies = new Map(
    ledgers.map((ledger) => [queueOf(ledger), { read: [], write: [] }]),
  );
  for (const side of sides) {
    const warming = Array.from({ length: atOnce }, () =>
      medianMs(client, side, Math.ceil(scale.warmUp / atOnce)),
    );
    await Promise.all(warming);
  }
  const startedAt = performance.now();
  for (let round = 0; round < scale.rounds; round++) {
    if (round > 0 && performance.now() - startedAt > scale.longestMs) break;
    log(`a write beside a read: round ${round + 1} of ${scale.rounds}`);
    for (const side of turned(sides, round)) {
      const kind = side.workflowType === 'readOnce' ? 'read' : 'write';
      latencies.get(side.taskQueue)?.[kind].push(await medianMs(client, side, scale.perBlock));
    }
  }
  return latencies;
}

async function medianMs(
  client: Client,
  { taskQueue, workflowType }: Side,
  workflows: number,
): Promise<number> {
  const latenciesMs: number[] = [];
  for (let done = 0; done < workflows; done++) {
    const workflowId = `${workflowType}-${randomUUID()}`;
    const args = [{ orderId: workflowId, amountCents: 1_250 }];
    const startedAt = performance.now();
    await client.workflow.execute(workflowType, { taskQueue, workflowId, args });
    latenciesMs.push(performance.now() - startedAt);
  }
  return spreadOf(latenciesMs).median;
}

function sharesOf(ledgers: readonly Ledger[], latencies: Latencies): readonly Measure[] {
  return ledgers.flatMap((ledger) => {
    const { read, write } = latencies.get(queueOf(ledger)) ?? { read: [], write: [] };
    const shares = write.map((latencyMs, round) => 1 - (read[round] ?? Number.NaN) / latencyMs);
    const title = titles[ledger.kind];
    return [
      { name: `latency: read, worker with ${title}`, unit: 'ms', ...spreadOf(read) },
      { name: `latency: write, ${title}`, unit: 'ms', ...spreadOf(write) },
      {
        name: `latency: the ledger's share of a write, ${title}`,
        unit: 'of 1',
        ...spreadOf(shares),
      },
    ];
  });
}
