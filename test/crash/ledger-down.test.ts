import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { type EffectRig, startEffectRig } from '../support/effect-rig.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import type { RunningWorker } from '../support/rig.js';
import { until } from '../support/until.js';
import type { RefundKind } from './fixture/tools.js';
import type { payOnce } from './fixture/workflows.js';

describe('with its ledger down', () => {
  let postgres: PostgresServer;
  let rig: EffectRig;
  let worker: RunningWorker | undefined;

  before(async () => {
    postgres = await startPostgres();
    rig = await startEffectRig({ kind: 'postgres', connectionString: postgres.url });
  });
  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
  });
  after(async () => {
    await rig.stop();
    await postgres.stop();
  });

  const kinds: readonly RefundKind[] = ['keyed', 'plain'];
  for (const kind of kinds) {
    it(`before the call, a ${kind} refund isn't attempted until it is back`, async () => {
      const orderId = rig.newOrder();
      await postgres.kill();
      worker = await rig.startRescuer();
      const handle = await rig.pay({ kind, orderId });
      await until(async () => (await endedAttempts(handle)) > 1);
      assert.equal(rig.effectsOf(orderId), 0);
      await postgres.restart();
      const { kind: end } = await handle.result();
      assert.deepEqual({ end, effects: rig.effectsOf(orderId) }, { end: 'ok', effects: 1 });
    });
  }

  const ends: readonly (readonly [RefundKind, string])[] = [
    ['keyed', 'ok'],
    ['plain', 'unknown'],
  ];
  for (const [kind, expected] of ends) {
    it(`after the call, a ${kind} refund ends ${expected}`, async () => {
      const orderId = rig.newOrder();
      const handle = await rig.pay({ kind, orderId });
      const paying = await rig.startProcess({ stallAt: 'before-settle' });
      await paying.stalled(1);
      await postgres.kill();
      paying.goOn();
      await until(async () => (await endedAttempts(handle)) > 0);
      await postgres.restart();
      const { kind: end } = await handle.result();
      await paying.kill();
      assert.deepEqual({ end, effects: rig.effectsOf(orderId) }, { end: expected, effects: 1 });
    });
  }

  it('twice in the midst of many refunds loses none of them', async (t) => {
    worker = await rig.startRescuer({
      maxConcurrentActivityTaskExecutions: 5,
      maxConcurrentWorkflowTaskExecutions: 5,
    });
    const orders = Array.from({ length: 60 }, () => rig.newOrder());
    rig.shops.keyed.setFaults({
      refunds: { delay: { ms: 100, jitterMs: 200, at: 'after-effect' } },
    });
    const paying = Promise.all(
      orders.map(
        async (orderId) => (await (await rig.pay({ kind: 'keyed', orderId })).result()).kind,
      ),
    );
    for (const downMs of [300, 2_000]) {
      const before = paid();
      await until(() => paid() > before + 5);
      await postgres.kill();
      await sleep(downMs);
      await postgres.restart();
    }
    const ends = await paying;
    t.diagnostic(
      `${ends.length} refunds, ${rig.shops.keyed.stats().routes.refunds.requests} requests`,
    );
    assert.deepEqual(new Set(ends), new Set(['ok']));
    assert.deepEqual(new Set(orders.map(rig.effectsOf)), new Set([1]));
  });

  function paid(): number {
    return rig.shops.keyed.stats().routes.refunds.effects;
  }
});

/** Counts the activities of a workflow that have ended without a result. */
async function endedAttempts(handle: WorkflowHandle<typeof payOnce>): Promise<number> {
  const { events } = await handle.fetchHistory();
  const ends = events?.filter(
    (event) => event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes,
  );
  return ends?.length ?? 0;
}
