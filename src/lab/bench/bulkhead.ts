import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { HoldfastError } from '../../budget/errors.js';
import { holdfast } from '../../plugin.js';
import { bulkheadResult, type HealthyLatencies, surroundings } from './bulkhead-result.js';
import { MAX_CONCURRENT, type Neighbour } from './bulkhead-tools.js';
import { type HeldDownstream, startHeldDownstream } from './held-downstream.js';
import { startMeasuredWorker } from './measured-worker.js';
import { startPromptServer } from './prompt-server.js';
import type { BenchOptions, BenchResult } from './result.js';
import { quantileOf, turned } from './statistics.js';

type Scale = {
  readonly rounds: number;
  /** Milliseconds of healthy calls in one surrounding of a round, and before the first. */
  readonly forMs: number;
  /** Before the healthy calls of each surrounding: to start or end so many workflows is a load of its own. */
  readonly settleMs: number;
  /** After this time no further round begins. */
  readonly longestMs: number;
};
type Bench = {
  readonly client: Client;
  readonly taskQueue: string;
  readonly downstream: HeldDownstream;
};

const full: Scale = { rounds: 6, forMs: 4_000, settleMs: 5_000, longestMs: 65_000 };
const quickly: Scale = { rounds: 1, forMs: 1_000, settleMs: 500, longestMs: 10_000 };

const SLOTS = 20;
const HANGING = 30;
const HOLD_MS = 5_000;
/** Workflows that call the healthy downstream at once. */
const CALLERS = 4;
/** After each of their calls. */
const PAUSE_MS = 200;
const FILLED_WITHIN_MS = 20_000;

/** What hangs doesn't take the places that it should, so that there is nothing to measure. */
export class NotFilledError extends HoldfastError {
  readonly kind = 'bench-not-filled';

  constructor(
    readonly held: number,
    readonly places: number,
  ) {
    super(
      `Only ${held} of ${places} calls hang after ${FILLED_WITHIN_MS} ms: run it on a calmer machine.`,
    );
  }
}

/**
 * Measures the 95th percentile of calls to a healthy downstream on one development server and one worker, by turns: in
 * calm, and while many workflows call a downstream that hangs, with a bulkhead and without.
 */
export async function benchBulkhead({ quick, log }: BenchOptions): Promise<BenchResult> {
  const server = await startPromptServer((line) => log(`(g) ${line}`));
  const downstream = await startHeldDownstream(HOLD_MS);
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const connection = await Connection.connect({ address: server.address });
  try {
    const worker = await startMeasuredWorker({
      kind: 'bulkhead',
      address: server.address,
      bundle: await writeBundle(folder),
      script: 'bulkhead-worker-process.js',
      more: [downstream.url, String(SLOTS)],
    });
    try {
      const bench = { client: new Client({ connection }), taskQueue: worker.taskQueue, downstream };
      const latencies = await measureByTurns(bench, quick ? quickly : full, log);
      return bulkheadResult(latencies, { slots: SLOTS, hanging: HANGING, holdMs: HOLD_MS });
    } finally {
      await worker.stop();
    }
  } finally {
    await connection.close();
    await downstream.stop();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

async function writeBundle(folder: string): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('./sandbox/bulkhead-workflows.js', import.meta.url)),
    plugins: [holdfast()],
    logger: new DefaultLogger('ERROR'),
  });
  const path = join(folder, 'bulkhead.js');
  await writeFile(path, code);
  return path;
}

async function measureByTurns(
  bench: Bench,
  { rounds, forMs, settleMs, longestMs }: Scale,
  log: BenchOptions['log'],
): Promise<HealthyLatencies> {
  const latencies: HealthyLatencies = { calm: [], bounded: [], unbounded: [] };
  await healthyCalls(bench, forMs);
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round++) {
    if (performance.now() - startedAt > longestMs) break;
    log(`(g) round ${round + 1} of ${rounds}`);
    for (const surrounding of turned(surroundings, round)) {
      const measure = async (): Promise<number[]> => {
        await pause(settleMs);
        return healthyCalls(bench, forMs);
      };
      const measured =
        surrounding === 'calm' ? await measure() : await besideHanging(bench, surrounding, measure);
      latencies[surrounding].push(quantileOf(measured, 0.95));
    }
  }
  return latencies;
}

/** Runs workflows that call the healthy downstream for a time, and returns what each call took. */
async function healthyCalls({ client, taskQueue }: Bench, forMs: number): Promise<number[]> {
  const latencies = await Promise.all(
    Array.from({ length: CALLERS }, (): Promise<number[]> => {
      const workflowId = `healthy-${randomUUID()}`;
      const args = [{ forMs, pauseMs: PAUSE_MS }];
      return client.workflow.execute('askHealthy', { taskQueue, workflowId, args });
    }),
  );
  return latencies.flat();
}

/** Does something while workflows call the downstream that hangs, and ends them after it. */
async function besideHanging<T>(
  { client, taskQueue, downstream }: Bench,
  neighbour: Exclude<Neighbour, 'healthy'>,
  run: () => Promise<T>,
): Promise<T> {
  const handles: readonly WorkflowHandle[] = await Promise.all(
    Array.from({ length: HANGING }, () => {
      const workflowId = `${neighbour}-${randomUUID()}`;
      return client.workflow.start('askForEver', { taskQueue, workflowId, args: [{ neighbour }] });
    }),
  );
  try {
    await filled(downstream, neighbour === 'bounded' ? MAX_CONCURRENT : SLOTS);
    return await run();
  } finally {
    await Promise.all(handles.map((handle) => handle.terminate()));
    downstream.release();
  }
}

async function filled(downstream: HeldDownstream, places: number): Promise<void> {
  const until = performance.now() + FILLED_WITHIN_MS;
  while (downstream.held() < places) {
    if (performance.now() > until) throw new NotFilledError(downstream.held(), places);
    await pause(20);
  }
}
