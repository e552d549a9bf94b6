import type { WorkflowHandle, WorkflowStartOptions } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import type { Ledger } from 'holdfast/ledger';
import { createUpstream, findCall, type Upstream } from '../../src/lab/upstream/index.js';
import { refundImplementations, type Upstreams } from '../crash/fixture/refunds.js';
import type { Order, payOnce } from '../crash/fixture/workflows.js';
import { writeBundle } from './bundle-file.js';
import { type EffectStore, openStore } from './effect-store.js';
import { type EffectWorker, startEffectWorker } from './effect-worker.js';
import type { EffectWorkerOptions } from './effect-worker-process.js';
import { type Rig, type RunningWorker, startRig } from './rig.js';

/** Two shops, a store of effects, a server, a client; workers come and go as a test wants it. */
export type EffectRig = Pick<
  Rig,
  'client' | 'id' | 'address' | 'taskQueue' | 'bundle' | 'plugin'
> & {
  readonly shops: { readonly keyed: Upstream; readonly plain: Upstream };
  readonly upstreams: Upstreams;
  /** The store as the test sees it. */
  readonly ledger: Ledger;
  /** Starts a worker in a process of its own. */
  readonly startProcess: (options?: ProcessOptions) => Promise<EffectWorker>;
  /** Starts a worker in this process, on which nothing stalls: the one that finishes. */
  readonly startRescuer: (options?: Partial<WorkerOptions>) => Promise<RunningWorker>;
  /** Starts to pay an order back. */
  readonly pay: (
    order: Order,
    options?: Partial<WorkflowStartOptions>,
  ) => Promise<WorkflowHandle<typeof payOnce>>;
  /** An order that no other test of the file pays back. */
  readonly newOrder: () => string;
  /** Times that an order was paid back, at whichever shop. */
  readonly effectsOf: (orderId: string) => number;
  readonly stop: () => Promise<void>;
};

/** What a test says of a worker process. */
export type ProcessOptions = Partial<Omit<EffectWorkerOptions, 'address' | 'upstreams'>>;

/** Starts everything but a worker. */
export async function startEffectRig(
  store: EffectStore,
  dynamicConfig: Readonly<Record<string, string>> = {},
): Promise<EffectRig> {
  const shops = { keyed: createUpstream(), plain: createUpstream({ honourKeys: false }) };
  const upstreams = {
    keyed: (await shops.keyed.start()).url,
    plain: (await shops.plain.start()).url,
  };
  const ledger = await openStore(store);
  const rig = await startRig({
    workflows: 'test/crash/fixture/workflows.js',
    implementations: refundImplementations(upstreams),
    ledger,
    dynamicConfig,
    worker: { identity: 'test', stickyQueueScheduleToStartTimeout: 500 },
  });
  await rig.worker.stop();
  const { client, id, address, taskQueue, bundle, plugin } = rig;
  const bundleFile = await writeBundle(bundle);
  const processes: EffectWorker[] = [];
  let lastOrder = 1_000;
  return {
    client,
    id,
    address,
    taskQueue,
    bundle,
    plugin,
    shops,
    upstreams,
    ledger,
    startProcess: async (options = {}) => {
      const place = { address, taskQueue, bundlePath: bundleFile.path, upstreams, store };
      const worker = await startEffectWorker({ ...place, ...options });
      processes.push(worker);
      return worker;
    },
    startRescuer: rig.startWorker,
    pay: (order, options = {}) =>
      client.workflow.start<typeof payOnce>('payOnce', {
        taskQueue,
        workflowId: id('refund'),
        ...options,
        args: [order],
      }),
    newOrder: () => `ORD-${++lastOrder}`,
    effectsOf: (orderId) =>
      [shops.keyed, shops.plain]
        .map((shop) => findCall(shop.stats(), orderId)?.effects ?? 0)
        .reduce((sum, effects) => sum + effects),
    stop: async () => {
      await Promise.all(processes.map((worker) => worker.kill()));
      await bundleFile.remove();
      await rig.stop();
      await ledger.close();
      await Promise.all([shops.keyed.stop(), shops.plain.stop()]);
    },
  };
}
