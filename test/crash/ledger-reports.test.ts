import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type CallRecord, type FaultPlanInput, findCall } from '../../src/lab/upstream/index.js';
import { type EffectRig, startEffectRig } from '../support/effect-rig.js';
import { type StartedStore, startStore } from '../support/effect-store.js';
import { until } from '../support/until.js';
import type { RefundKind } from './fixture/tools.js';
import type { Order, Paid, payTwiceAtOnce } from './fixture/workflows.js';

/** Faults that others reported of their own software: the right behaviour at the same input. */
describe('a reported doubled effect happens once:', () => {
  let started: StartedStore;
  let rig: EffectRig;

  before(async () => {
    started = await startStore('sqlite');
    rig = await startEffectRig(started.store);
    await rig.startRescuer();
  });
  after(async () => {
    await rig.stop();
    await started.stop();
  });

  const newOrder = (kind: RefundKind): Order => ({ kind, orderId: rig.newOrder() });

  describe('at a shop that takes half a second', { concurrency: true }, () => {
    before(() => setFaults({ delay: { ms: 500, at: 'before-effect' } }));

    const twice: readonly RefundKind[] = ['keyed', 'plain'];
    for (const kind of twice) {
      it(`two calls of a ${kind} refund at the same time (furthemore/APIS#193)`, async () => {
        const order = newOrder(kind);
        const paid = await rig.client.workflow.execute<typeof payTwiceAtOnce>('payTwiceAtOnce', {
          taskQueue: rig.taskQueue,
          workflowId: rig.id('twice'),
          args: [order],
        });
        assert.deepEqual(paid.map(endOf).sort(), ['ok', 'ok, replayed']);
        assert.deepEqual(sent(order), { requests: 1, effects: 1, keys: 1 });
      });
    }
  });

  describe('at a shop whose first answer is lost', { concurrency: true }, () => {
    before(() => setFaults({ faults: [{ kind: 'drop', attempts: [1], at: 'after-effect' }] }));

    const answersLost: readonly (readonly [RefundKind, string, number])[] = [
      ['keyed', 'ok', 2],
      ['plain', 'unknown', 1],
      ['probed', 'ok, replayed', 1],
    ];
    for (const [kind, end, requests] of answersLost) {
      it(`a ${kind} refund whose provider pays and times out (medusajs/medusa#16681)`, async () => {
        const order = newOrder(kind);
        const handle = await rig.pay(order);
        assert.equal(endOf(await handle.result()), end);
        assert.deepEqual(sent(order), { requests, effects: 1, keys: 1 });
      });
    }
  });

  describe('at a shop that takes longer than its caller waits', { concurrency: true }, () => {
    before(() => setFaults({ delay: { ms: 4_000, at: 'before-effect' } }));

    const late: readonly (readonly [RefundKind, string])[] = [
      ['plain', 'unknown'],
      ['probed', 'ok, replayed'],
    ];
    for (const [kind, end] of late) {
      it(`a ${kind} refund that is paid after its caller has given up`, async () => {
        const order = newOrder(kind);
        const handle = await rig.pay(order);
        const paid = await handle.result();
        await until(() => callOf(order)?.effects === 1);
        assert.equal(endOf(paid), end);
        assert.deepEqual(sent(order), { requests: 1, effects: 1, keys: 1 });
      });
    }

    it('a keyed refund that is still being paid when its caller asks again', async () => {
      const order = newOrder('keyed');
      const handle = await rig.pay(order);
      const { report } = await handle.result();
      await until(() => callOf(order)?.effects === 1);
      assert.equal('reason' in report && report.effectMayHaveHappened, true);
      assert.equal(callOf(order)?.keys.length, 1);
    });
  });

  describe('at a shop that pays and answers 503', () => {
    before(() =>
      setFaults({ faults: [{ kind: 'status', status: 503, attempts: [1], at: 'after-effect' }] }),
    );

    it('a keyed refund that is retried until it succeeds (woocommerce/woocommerce-square#106)', async () => {
      const order = newOrder('keyed');
      const handle = await rig.pay(order);
      assert.equal(endOf(await handle.result()), 'ok');
      assert.deepEqual(sent(order), { requests: 2, effects: 1, keys: 1 });
    });
  });

  describe('at a shop that is well', { concurrency: true }, () => {
    before(() => setFaults({}));

    it('a worker that is frozen after it has paid, and wakes when another has taken over (hatchet-dev/hatchet#1022)', async () => {
      const order = newOrder('keyed');
      const taskQueue = rig.id('frozen');
      const handle = await rig.pay(order, { taskQueue });
      const frozen = await rig.startProcess({ taskQueue, stallAt: 'before-settle' });
      await frozen.stalled(1);
      frozen.freeze();
      await rig.startRescuer({ taskQueue });
      assert.equal(endOf(await handle.result()), 'ok');
      frozen.thaw();
      frozen.goOn();
      const entry = async () =>
        (await rig.ledger.list({ workflowId: handle.workflowId })).entries[0];
      await until(async () => ((await entry())?.staleSettles ?? 0) > 0);
      assert.equal((await entry())?.state, 'done');
      assert.deepEqual(sent(order), { requests: 2, effects: 1, keys: 1 });
      await frozen.kill();
    });

    it('a worker that is frozen before it pays, and wakes when nobody knows any more', async () => {
      const order = newOrder('plain');
      const taskQueue = rig.id('frozen');
      const handle = await rig.pay(order, { taskQueue });
      const frozen = await rig.startProcess({ taskQueue, stallAt: 'after-claim' });
      await frozen.stalled(1);
      frozen.freeze();
      await rig.startRescuer({ taskQueue });
      assert.equal(endOf(await handle.result()), 'unknown');
      frozen.thaw();
      frozen.goOn();
      await frozen.shutDown();
      assert.ok(rig.effectsOf(order.orderId) <= 1);
    });
  });

  function setFaults(refunds: NonNullable<FaultPlanInput['refunds']>): void {
    for (const shop of [rig.shops.keyed, rig.shops.plain]) shop.setFaults({ refunds });
  }

  function callOf({ kind, orderId }: Order): CallRecord | undefined {
    const shop = kind === 'keyed' ? rig.shops.keyed : rig.shops.plain;
    return findCall(shop.stats(), orderId);
  }

  /** What the shop saw of an order. */
  function sent(order: Order): object {
    const call = callOf(order);
    return { requests: call?.attempts, effects: call?.effects, keys: call?.keys.length };
  }
});

function endOf({ kind, report }: Paid): string {
  return report.replayed ? `${kind}, replayed` : kind;
}
