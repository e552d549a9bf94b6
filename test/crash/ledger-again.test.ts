import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { findCall } from '../../src/lab/upstream/index.js';
import { type EffectRig, startEffectRig } from '../support/effect-rig.js';
import { type StartedStore, startStore } from '../support/effect-store.js';
import type { RunningWorker } from '../support/rig.js';
import { runTemporal } from '../support/temporal-command.js';
import { until } from '../support/until.js';
import type { Order, Paid, payAndContinue, payAndFailOnce, payOnce } from './fixture/workflows.js';

/** Plain writes: nothing but the ledger stands between them and a second refund. */
describe('a refund that a workflow comes to again', () => {
  let started: StartedStore;
  let rig: EffectRig;
  let worker: RunningWorker;

  before(async () => {
    started = await startStore('sqlite');
    rig = await startEffectRig(started.store);
    worker = await rig.startRescuer();
  });
  afterEach(() => rig.shops.plain.setFaults({}));
  after(async () => {
    await worker.stop();
    await rig.stop();
    await started.stop();
  });

  const newOrder = (): Order => ({ kind: 'plain', orderId: rig.newOrder() });

  it('after a reset is answered by the ledger', async () => {
    const order = newOrder();
    const handle = await rig.pay(order);
    assert.equal((await handle.result()).report.replayed, false);
    assertReplayed(await reset(handle), order);
  });

  it('by a reset while it is being paid waits for that payment, and takes its result', async () => {
    const order = newOrder();
    rig.shops.plain.setFaults({ refunds: { delay: { ms: 1_000, at: 'before-effect' } } });
    const handle = await rig.pay(order);
    await until(() => rig.shops.plain.stats().routes.refunds.inFlight === 1);
    assertReplayed(await reset(handle), order);
  });

  it('after a continue-as-new is answered by the ledger', async () => {
    const order = newOrder();
    const paid = await rig.client.workflow.execute<typeof payAndContinue>('payAndContinue', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('continued'),
      args: [order],
    });
    assertReplayed(paid, order);
  });

  it('after a retry of the workflow is answered by the ledger', async () => {
    const order = newOrder();
    const paid = await rig.client.workflow.execute<typeof payAndFailOnce>('payAndFailOnce', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('retried'),
      retry: { maximumAttempts: 2, initialInterval: 50 },
      args: [order],
    });
    assertReplayed(paid, order);
  });

  it('in a replay is not sent: neither at each task, nor from its history', async () => {
    const order = newOrder();
    const taskQueue = rig.id('uncached');
    const forgetful = await rig.startRescuer({ taskQueue, maxCachedWorkflows: 0 });
    const handle = await rig.pay(order, { taskQueue });
    assert.equal((await handle.result()).kind, 'ok');
    await forgetful.stop();
    const { bundle, plugin } = rig;
    await Worker.runReplayHistory(
      { workflowBundle: bundle, plugins: [plugin] },
      await handle.fetchHistory(),
    );
    assert.deepEqual(sent(order), { requests: 1, effects: 1, keys: 1 });
  });

  async function reset({ workflowId }: WorkflowHandle<typeof payOnce>): Promise<Paid> {
    const { code, output } = await runTemporal(rig.address, [
      ...['workflow', 'reset', '--workflow-id', workflowId],
      ...['--type', 'FirstWorkflowTask', '--reason', 'a test'],
    ]);
    assert.equal(code, 0, output);
    return rig.client.workflow.getHandle<typeof payOnce>(workflowId).result();
  }

  function assertReplayed({ kind, report }: Paid, order: Order): void {
    assert.deepEqual({ kind, replayed: report.replayed }, { kind: 'ok', replayed: true });
    assert.deepEqual(sent(order), { requests: 1, effects: 1, keys: 1 });
  }

  /** What the shop saw of an order. */
  function sent({ orderId }: Order): object {
    const call = findCall(rig.shops.plain.stats(), orderId);
    return { requests: call?.attempts, effects: call?.effects, keys: call?.keys.length };
  }
});
