import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { seededRandom } from '../../src/lab/bench/seeded-random.js';
import { findCall, type Upstream } from '../../src/lab/upstream/index.js';
import { type BundleFile, writeBundle } from '../support/bundle-file.js';
import { type EffectRig, startEffectRig } from '../support/effect-rig.js';
import { type StartedStore, startStore } from '../support/effect-store.js';
import type { EffectWorker } from '../support/effect-worker.js';
import { reap } from '../support/reaper.js';
import { projectFile } from '../support/root.js';
import type { RefundKind } from './fixture/tools.js';
import type { payUngoverned } from './fixture/ungoverned-workflows.js';

const SEED = 209;
/** The shop whose keys hold is asked the most; a few workers' deaths show the faults of the other ways. */
const many = { refunds: 209, kills: 9 } as const;
const few = { refunds: 70, kills: 4 } as const;
/** Milliseconds after which a workflow task comes back whose worker was lost: the server's own are 10,000. */
const LOST_TASK_MS = 4_000;
/** The shop has paid some time before it says so, which is when the loss of a worker hurts. */
const shopFaults = { refunds: { delay: { ms: 400, jitterMs: 400, at: 'after-effect' } } } as const;

describe('refunds, whose workers are killed at random moments', () => {
  let started: StartedStore;
  let rig: EffectRig;
  let ungoverned: BundleFile;

  before(async () => {
    started = await startStore('sqlite');
    rig = await startEffectRig(started.store, { 'history.transferProcessorMaxPollRPS': '2000' });
    rig.shops.keyed.setFaults(shopFaults);
    rig.shops.plain.setFaults(shopFaults);
    const bundle = await bundleWorkflowCode({
      workflowsPath: projectFile('dist/test/crash/fixture/ungoverned-workflows.js'),
      logger: new DefaultLogger('ERROR'),
    });
    ungoverned = await writeBundle(bundle);
  });
  after(async () => {
    await ungoverned.remove();
    await rig.stop();
    await started.stop();
  });

  it('without holdfast are all paid, and many of them more than once', async (t) => {
    const taskQueue = rig.id('ungoverned');
    const tally = await survive(t, {
      ...few,
      shop: rig.shops.plain,
      startWorker: () =>
        rig.startProcess({ taskQueue, bundlePath: ungoverned.path, store: undefined }),
      pay: async (orderId) => {
        await rig.client.workflow.execute<typeof payUngoverned>('payUngoverned', {
          taskQueue,
          workflowTaskTimeout: LOST_TASK_MS,
          workflowId: rig.id('refund'),
          args: [orderId],
        });
        return 'ok';
      },
    });
    assert.equal(tally.ends.ok, few.refunds);
    assert.ok(tally.doubledOrders > 0);
  });

  /** The same refunds by one of the tools. */
  function governed(kind: RefundKind): Batch {
    const taskQueue = rig.id(kind);
    return {
      ...(kind === 'keyed' ? many : few),
      shop: kind === 'keyed' ? rig.shops.keyed : rig.shops.plain,
      startWorker: () => rig.startProcess({ taskQueue }),
      pay: async (orderId) => {
        const options = { taskQueue, workflowTaskTimeout: LOST_TASK_MS };
        const handle = await rig.pay({ kind, orderId }, options);
        return (await handle.result()).kind;
      },
    };
  }

  it('209 at a shop that honours keys are all paid, and each of them once', async (t) => {
    const tally = await survive(t, governed('keyed'));
    assert.deepEqual(tally.ends, { ok: many.refunds });
    assert.equal(tally.effects, many.refunds);
    assert.equal(tally.doubledOrders, 0);
  });

  it('at a shop that neither honours keys nor can be asked are paid at most once, or unknown', async (t) => {
    const { ends, effects, doubledOrders } = await survive(t, governed('plain'));
    const { ok = 0, unknown = 0, ...others } = ends;
    assert.deepEqual(others, {});
    assert.equal(ok + unknown, few.refunds);
    assert.ok(ok <= effects && effects <= few.refunds);
    assert.equal(doubledOrders, 0);
  });
});

/** The refunds, one way of paying them. */
type Batch = {
  readonly refunds: number;
  /** Workers that are killed meanwhile. */
  readonly kills: number;
  readonly shop: Upstream;
  readonly startWorker: () => Promise<EffectWorker>;
  /** Pays an order back and returns how that ended. */
  readonly pay: (orderId: string) => Promise<string>;
};

/** What became of them: the ends as the callers saw them, the rest counted at the shop. */
type Tally = {
  readonly ends: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly effects: number;
  readonly doubledOrders: number;
  readonly kills: number;
};

/** Has every order paid back while workers come and go, and prints the tally. */
async function survive(t: TestContext, batch: Batch): Promise<Tally> {
  const { refunds, shop, startWorker, pay } = batch;
  const orders = Array.from({ length: refunds }, (_, index) => `ORD-${1_001 + index}`);
  shop.reset();
  const work = new AbortController();
  const reaping = reap({
    places: 2,
    kills: batch.kills,
    start: startWorker,
    arrived: () => shop.stats().routes.refunds.requests,
    random: seededRandom(SEED),
    signal: work.signal,
  });
  const ends: Record<string, number> = {};
  const startedAt = performance.now();
  try {
    await Promise.all(
      orders.map(async (orderId) => {
        const end = await pay(orderId);
        ends[end] = (ends[end] ?? 0) + 1;
      }),
    );
  } finally {
    work.abort();
    await reaping;
  }
  const stats = shop.stats();
  const { requests, effects } = stats.routes.refunds;
  const doubledOrders = orders.filter((id) => (findCall(stats, id)?.effects ?? 0) > 1).length;
  const tally = { ends, requests, effects, doubledOrders, kills: await reaping };
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  t.diagnostic(
    `${refunds} refunds, ${tally.kills} workers killed (seed ${SEED}, ${seconds} s): ` +
      `${JSON.stringify(ends)}, ${requests} requests, ${effects} effects, ` +
      `${doubledOrders} orders paid more than once`,
  );
  return tally;
}
