import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import {
  createRetryBudget,
  type RetryBudgetOptions,
} from '../../src/limits/create-retry-budget.js';
import type { RatioKey, RetryBudget } from '../../src/limits/retry-budget.js';
import { TappedFleetStore } from '../support/tapped-fleet-store.js';

const ratio = { percent: 10, windowMs: 10_000, minSamples: 100 };
const orders: RatioKey = { downstream: 'orders', ratio };

/** A store, its workers' budgets, and a clock that the test sets. */
class Fleet {
  nowMs = 5_000;
  readonly store = new TappedFleetStore(() => this.nowMs + this.storeAheadMs);
  readonly said: string[] = [];

  constructor(readonly storeAheadMs = 1_700_000_000_000) {}

  worker(options: Partial<RetryBudgetOptions> = {}): RetryBudget {
    return createRetryBudget({
      store: this.store,
      now: () => this.nowMs,
      answerWithinMs: 60_000,
      onFallback: (error) => this.said.push(error.message),
      onRecovery: () => this.said.push('recovered'),
      ...options,
    });
  }

  /** A worker that the store knows, with calls that it has told. */
  async known(calls: number, key = orders): Promise<RetryBudget> {
    const worker = this.worker();
    await this.send(worker, calls, key);
    return worker;
  }

  async send(worker: RetryBudget, calls: number, key = orders): Promise<void> {
    for (let call = 0; call < calls; call++) worker.callSent(key);
    await this.pass(200);
    worker.callSent(key).takeBack(); // begins an exchange
    await this.pass(200);
  }

  async pass(ms: number): Promise<void> {
    await turn();
    this.nowMs += ms;
  }

  exchanges(): number {
    return this.store.reports.length;
  }
}

async function allowedOf(budget: RetryBudget, asked: number, key = orders): Promise<number> {
  const decisions = await Promise.all(
    Array.from({ length: asked }, () => budget.decide(key, { dueInMs: 100 })),
  );
  return decisions.filter(({ allowed }) => allowed).length;
}

describe("a retry budget that is the fleet's", () => {
  it('counts the calls of all workers, none of which has enough of its own', async () => {
    const fleet = new Fleet();
    const workers = [await fleet.known(40), await fleet.known(40), await fleet.known(40)];
    const allowed = await Promise.all(workers.map((worker) => allowedOf(worker, 20)));
    assert.equal(
      allowed.reduce((sum, count) => sum + count, 0),
      12,
    );
  });

  it('says that the fleet has decided', async () => {
    const fleet = new Fleet();
    const worker = await fleet.known(100);
    const { allowed, by } = await worker.decide(orders, { dueInMs: 0 });
    assert.deepEqual({ allowed, by }, { allowed: true, by: 'fleet' });
  });

  it('asks nobody for a retry that is leased', async () => {
    const fleet = new Fleet();
    const worker = await fleet.known(2_000); // in the next 200 ms they make room for four retries
    await fleet.send(worker, 0);
    const before = fleet.exchanges();
    assert.equal(await allowedOf(worker, 4), 4);
    assert.equal(fleet.exchanges(), before);
  });

  it('gives back what is leased and not needed', async () => {
    const fleet = new Fleet();
    const worker = await fleet.known(2_000);
    const other = await fleet.known(0);
    await fleet.pass(2_000);
    await fleet.send(worker, 0);
    await worker.close();
    assert.equal(await allowedOf(other, 1_000), 200);
  });

  it('asks once where nothing is left, however many calls fail, and again after 100 ms', async () => {
    const fleet = new Fleet();
    const worker = await fleet.known(100);
    assert.equal(await allowedOf(worker, 100), 10);
    const before = fleet.exchanges();
    assert.equal(await allowedOf(worker, 1_000), 0);
    assert.equal(fleet.exchanges(), before);
    fleet.nowMs += 100;
    assert.equal(await allowedOf(worker, 1_000), 0);
    assert.equal(fleet.exchanges(), before + 1);
  });

  it('tells nothing while nothing is sent', async () => {
    const fleet = new Fleet();
    await fleet.known(100);
    const before = fleet.exchanges();
    await fleet.pass(60_000);
    assert.equal(fleet.exchanges(), before);
  });

  it('leaves a refunded retry to another worker', async () => {
    const fleet = new Fleet();
    const worker = await fleet.known(100);
    const decision = await worker.decide(orders, { dueInMs: 3_000 });
    const other = await fleet.known(0);
    assert.equal(await allowedOf(other, 20), 9);
    decision.refund();
    decision.refund();
    await fleet.send(worker, 0);
    assert.equal(await allowedOf(other, 20), 1);
  });

  it('takes back a call that was told already', async () => {
    const fleet = new Fleet();
    const worker = fleet.worker();
    const sent = Array.from({ length: 110 }, () => worker.callSent(orders));
    await fleet.send(worker, 0);
    for (const call of sent.slice(0, 10)) call.takeBack();
    await fleet.send(worker, 0);
    assert.equal(await allowedOf(worker, 20), 10);
  });

  it('lets a retry stand until ten seconds after it is due', async () => {
    const fleet = new Fleet();
    const worker = await fleet.known(100);
    for (let retry = 0; retry < 10; retry++) await worker.decide(orders, { dueInMs: 60_000 });
    await fleet.pass(65_000);
    await fleet.send(worker, 100);
    assert.equal(await allowedOf(worker, 10), 0);
    await fleet.pass(10_000);
    await fleet.send(worker, 100);
    assert.equal(await allowedOf(worker, 20), 10);
  });

  it('asks every window of a tenant, and pays from all or from none', async () => {
    const fleet = new Fleet();
    const failing = { ...orders, tenant: 'failing' };
    const quiet = { ...orders, tenant: 'quiet' };
    const worker = await fleet.known(100, failing);
    await fleet.send(worker, 900, quiet);
    assert.equal(await allowedOf(worker, 50, failing), 10);
    await fleet.send(worker, 0, failing);
    assert.equal(await allowedOf(worker, 200, quiet), 90);
  });

  it('tells the rest when it is closed, and closes the store', async () => {
    const fleet = new Fleet();
    const worker = await fleet.known(100);
    for (let call = 0; call < 100; call++) worker.callSent(orders);
    await worker.close();
    assert.equal(fleet.store.isClosed, true);
    assert.equal(await allowedOf(await fleet.known(0), 50), 20);
  });
});

describe('a retry budget whose store gives no answer', () => {
  it('decides by its own window and says so once, however long that lasts', async () => {
    const fleet = new Fleet();
    const worker = await fleet.known(200);
    fleet.store.isDown = true;
    for (let second = 0; second < 5; second++) {
      const { by } = await worker.decide(orders, { dueInMs: 0 });
      assert.equal(by, 'worker');
      await fleet.send(worker, 10);
    }
    assert.deepEqual(fleet.said, ["The fleet's store could not exchange: it is down"]);
  });

  it('keeps to 10 % of its own calls meanwhile', async () => {
    const fleet = new Fleet();
    const worker = await fleet.known(200);
    fleet.store.isDown = true;
    assert.equal(await allowedOf(worker, 100), 20);
  });

  it('counts in its own window what the fleet has allowed before', async () => {
    const fleet = new Fleet();
    const worker = await fleet.known(200);
    assert.equal(await allowedOf(worker, 15), 15);
    fleet.store.isDown = true;
    assert.equal(await allowedOf(worker, 100), 5);
  });

  it('asks once a second whether it is back, with nothing that could be lost', async () => {
    const fleet = new Fleet();
    const worker = await fleet.known(200);
    fleet.store.isDown = true;
    await allowedOf(worker, 1);
    const before = fleet.exchanges();
    for (let step = 0; step <= 30; step++) {
      worker.callSent(orders);
      await fleet.pass(100);
    }
    const asked = fleet.store.reports.slice(before);
    assert.equal(asked.length, 3);
    assert.ok(asked.every(({ changes, asks }) => changes.length + asks.length === 0));
  });

  it("is the fleet's again when the store is back, which hears what was decided meanwhile", async () => {
    const fleet = new Fleet();
    const worker = await fleet.known(200);
    const other = await fleet.known(0);
    fleet.store.isDown = true;
    assert.equal(await allowedOf(worker, 12), 12);
    fleet.store.isDown = false;
    await fleet.pass(1_000);
    await fleet.send(worker, 0);
    await fleet.send(worker, 0);
    assert.deepEqual(fleet.said.slice(1), ['recovered']);
    assert.equal((await worker.decide(orders, { dueInMs: 0 })).by, 'fleet');
    assert.equal(await allowedOf(other, 20), 7);
  });

  it('waits no longer than it is told to for a store that hangs, and then no more', async () => {
    const fleet = new Fleet();
    const impatient = fleet.worker({ answerWithinMs: 20 });
    await fleet.send(impatient, 200);
    fleet.store.hold();
    assert.equal((await impatient.decide(orders, { dueInMs: 0 })).by, 'worker');
    assert.deepEqual(fleet.said, ["The fleet's store could not exchange: no answer within 20 ms"]);
    assert.equal((await impatient.decide(orders, { dueInMs: 0 })).by, 'worker');
  });

  it('gives back what is granted too late', async () => {
    const fleet = new Fleet();
    const impatient = fleet.worker({ answerWithinMs: 20 });
    await fleet.send(impatient, 100);
    const release = fleet.store.hold();
    const { refund } = await impatient.decide(orders, { dueInMs: 0 });
    refund();
    release();
    await fleet.send(impatient, 0);
    await fleet.send(impatient, 0);
    assert.equal(await allowedOf(await fleet.known(0), 50), 10);
  });

  it('begins by its own window where the store is down from the start', async () => {
    const fleet = new Fleet();
    fleet.store.isDown = true;
    const worker = await fleet.known(200);
    assert.equal(await allowedOf(worker, 50), 20);
    assert.equal(fleet.said.length, 1);
  });
});

describe("the clocks of a fleet's store and its workers", () => {
  for (const aheadMs of [-4_000, 0, 1_700_000_000_000]) {
    it(`may be apart by ${aheadMs} ms`, async () => {
      const fleet = new Fleet(aheadMs);
      const worker = await fleet.known(100);
      assert.equal(await allowedOf(worker, 50), 10);
    });
  }
});
