import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRetryBudget } from '../../src/limits/create-retry-budget.js';
import type { RatioKey, RetryBudget } from '../../src/limits/retry-budget.js';

const ratio = { percent: 10, windowMs: 10_000, minSamples: 100 };
const orders: RatioKey = { downstream: 'orders', ratio };
const tenant = (name: string): RatioKey => ({ ...orders, tenant: name });

function send(budget: RetryBudget, key: RatioKey, calls: number): void {
  for (let call = 0; call < calls; call++) budget.callSent(key);
}

async function allowedOf(budget: RetryBudget, key: RatioKey, asked: number): Promise<number> {
  let allowed = 0;
  for (let retry = 0; retry < asked; retry++) {
    if ((await budget.decide(key, { dueInMs: 100 })).allowed) allowed += 1;
  }
  return allowed;
}

describe("a worker's own retry budget", () => {
  it('allows 10 % of the calls, and says who has decided', async () => {
    const budget = createRetryBudget({ now: () => 0 });
    send(budget, orders, 100);
    assert.equal(await allowedOf(budget, orders, 50), 10);
    const { allowed, by } = await budget.decide(orders, { dueInMs: 0 });
    assert.deepEqual({ allowed, by }, { allowed: false, by: 'worker' });
  });

  it('lets one downstream that fails take nothing from another (aws-sdk-go-base#915, linkerd#1185)', async () => {
    const budget = createRetryBudget({ now: () => 0 });
    const mail = { ...orders, downstream: 'mail' };
    send(budget, orders, 100);
    send(budget, mail, 100);
    await allowedOf(budget, orders, 1_000);
    assert.equal(await allowedOf(budget, mail, 50), 10);
  });

  it('counts many small tenants together', async () => {
    const budget = createRetryBudget({ now: () => 0 });
    for (let index = 0; index < 50; index++) send(budget, tenant(`${index}`), 2);
    assert.equal(await allowedOf(budget, tenant('0'), 50), 10);
  });

  it('lets one tenant that fails take no more than a tenth of its own calls', async () => {
    const budget = createRetryBudget({ now: () => 0 });
    send(budget, tenant('quiet'), 900);
    send(budget, tenant('failing'), 100);
    assert.equal(await allowedOf(budget, tenant('failing'), 50), 10);
    assert.equal(await allowedOf(budget, tenant('quiet'), 100), 90);
  });

  it('charges a retry that one window refuses to none', async () => {
    const budget = createRetryBudget({ now: () => 0 });
    send(budget, tenant('failing'), 100);
    await allowedOf(budget, tenant('failing'), 1_000);
    send(budget, tenant('quiet'), 100);
    assert.equal(await allowedOf(budget, tenant('quiet'), 50), 10);
  });

  it('gives a retry back once, however often it is refunded', async () => {
    const budget = createRetryBudget({ now: () => 0 });
    send(budget, orders, 100);
    const first = await budget.decide(orders, { dueInMs: 100 });
    assert.equal(await allowedOf(budget, orders, 50), 9);
    first.refund();
    first.refund();
    assert.equal(await allowedOf(budget, orders, 50), 1);
  });

  it('takes a call back once, however often that is said', async () => {
    const budget = createRetryBudget({ now: () => 0 });
    const cancelled = budget.callSent(orders);
    send(budget, orders, 109);
    cancelled.takeBack();
    cancelled.takeBack();
    assert.equal(await allowedOf(budget, orders, 50), 10);
  });

  it('refuses figures that break their rules', async () => {
    const budget = createRetryBudget();
    const wrong = { ...orders, ratio: { ...ratio, windowMs: 0 } };
    assert.throws(() => budget.callSent(wrong), { kind: 'invalid-request', field: 'windowMs' });
    await assert.rejects(budget.decide(wrong, { dueInMs: 0 }), { kind: 'invalid-request' });
  });

  it('refuses to wait for no time at all', () => {
    assert.throws(() => createRetryBudget({ answerWithinMs: 0 }), { field: 'answerWithinMs' });
  });
});
