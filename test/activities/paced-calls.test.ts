import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ShopRig, startShopRig } from '../support/shop-rig.js';

let rig: ShopRig;

before(async () => {
  rig = await startShopRig();
});
after(() => rig.stop());

// The limiter that a worker has where nobody gives it another.
describe('calls under limits', () => {
  it('that are paced come one after the other, and the later one waits on a timer', async () => {
    rig.restart();
    const workflowId = rig.id('paced');
    const limits = { requestsPerMinute: 12, pace: true } as const; // one every five seconds
    const calls = [{ tool: 'look' }, { tool: 'look' }] as const;
    const { outcomes } = await rig.run({ calls, atOnce: true, policy: { limits } }, workflowId);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['ok', 'ok'],
    );
    assert.equal(rig.requests(), 2);
    const { events } = await rig.client.workflow.getHandle(workflowId).fetchHistory();
    const failures = (events ?? []).flatMap(
      ({ activityTaskFailedEventAttributes: failed }) =>
        failed?.failure?.applicationFailureInfo?.type ?? [],
    );
    assert.deepEqual(failures, ['holdfast.wait']);
  });

  it('are one budget for all workflows of a worker', async () => {
    rig.restart();
    const policy = { limits: { requestsPerMinute: 3 }, deadlineMs: 8_000 };
    const runs = await Promise.all(
      Array.from({ length: 5 }, () => rig.run({ calls: [{ tool: 'look_elsewhere' }], policy })),
    );
    const kinds = runs.map(({ outcomes }) => outcomes[0]?.kind).toSorted();
    assert.deepEqual(kinds, ['exhausted', 'exhausted', 'ok', 'ok', 'ok']);
    assert.equal(rig.otherShop.stats().totals.requests, 3);
  });

  it('never wait for what no minute admits, and let the smaller ones behind them go', async () => {
    rig.restart();
    const policy = { limits: { tokensPerMinute: 100 } };
    const calls = [
      { tool: 'look', tokens: 200 },
      { tool: 'look', tokens: 1 },
    ] as const;
    const { outcomes } = await rig.run({ calls, policy });
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['failed', 'ok'],
    );
    assert.equal(rig.requests(), 1);
  });
});
