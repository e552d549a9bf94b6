import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { type HoldfastPlugin, holdfast } from 'holdfast';
import {
  refundImplementations,
  type Upstreams,
  ungovernedActivities,
} from '../crash/fixture/refunds.js';
import { type EffectStore, openStore } from './effect-store.js';
import { type Gatekeeper, guardedLedger, type Point } from './points.js';
import { skewClock } from './skewed-clock.js';

/** What a worker process of the crash suite is started with, as JSON in its first argument. */
export type EffectWorkerOptions = {
  readonly address: string;
  readonly taskQueue: string;
  readonly bundlePath: string;
  readonly upstreams: Upstreams;
  /** Where effects are remembered; without one the worker runs without holdfast. */
  readonly store?: EffectStore | undefined;
  /** Each attempt that comes to this point stands there until it is told to go on. */
  readonly stallAt?: Point | undefined;
  /** Milliseconds by which this worker's clock is ahead. */
  readonly clockOffsetMs?: number | undefined;
};

/** What it tells its parent. */
export type EffectWorkerMessage =
  | { readonly kind: 'running' }
  | { readonly kind: 'stalled'; readonly key: string };

// A parent that is gone, however it went, takes its workers with it.
process.once('disconnect', () => process.exit(1));

Runtime.install({ logger: new DefaultLogger('ERROR') });
const options = JSON.parse(process.argv[2] ?? '') as EffectWorkerOptions; // the parent wrote it
const { address, taskQueue, bundlePath, upstreams, store, clockOffsetMs = 0 } = options;
skewClock(clockOffsetMs);
const work =
  store === undefined
    ? { activities: ungovernedActivities(upstreams) }
    : { plugins: [await plugin(store, stallingAt(options.stallAt))] };
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  identity: 'test',
  taskQueue,
  workflowBundle: { codePath: bundlePath },
  maxConcurrentActivityTaskExecutions: 10,
  maxConcurrentWorkflowTaskExecutions: 10,
  // the tasks of a lost worker's cached workflows come back soon
  stickyQueueScheduleToStartTimeout: 500,
  ...work,
});
process.on('message', (message) => {
  if (message === 'shut down') worker.shutdown();
});
const ended = worker.run();
tell({ kind: 'running' });
await ended;
await connection.close();
process.disconnect?.();

async function plugin(place: EffectStore, pass: Gatekeeper): Promise<HoldfastPlugin> {
  const ledger = guardedLedger(await openStore(place), pass);
  return holdfast({ implementations: refundImplementations(upstreams), ledger });
}

function stallingAt(stallAt: Point | undefined): Gatekeeper {
  const toldToGoOn = new Promise<void>((resolve) => {
    process.once('message', () => resolve()); // whatever it says, nothing stands for ever
  });
  return async (point, key) => {
    if (point !== stallAt) return;
    tell({ kind: 'stalled', key });
    await toldToGoOn;
  };
}

function tell(message: EffectWorkerMessage): void {
  process.send?.(message);
}
