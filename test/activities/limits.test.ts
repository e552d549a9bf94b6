import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { PolicyInput } from 'holdfast/contract';
import { LimitExceededError } from '../../src/limits/limit-errors.js';
import { type ScriptedLimiter, scriptedLimiter } from '../support/scripted-limiter.js';
import { type ShopRig, startShopRig } from '../support/shop-rig.js';

let rig: ShopRig;
let limiter: ScriptedLimiter;
const limits = { requestsPerMinute: 60, tokensPerMinute: 1_000 };

before(async () => {
  limiter = scriptedLimiter();
  rig = await startShopRig({ limiter });
});
after(() => rig.stop());

/** Says `later` once, and admits whoever comes with the ticket. */
function laterOnce(waitMs: number): void {
  limiter.answer(async ({ ticket }) =>
    ticket === undefined
      ? { kind: 'later', waitMs, ticket: 'place 1' }
      : { kind: 'admitted', reservation: { settle: async () => {}, release: async () => {} } },
  );
}

describe('a wait for the limiter', () => {
  it('gives the slot back: a timer of the workflow, and its place by the ticket', async () => {
    rig.restart();
    laterOnce(300);
    const workflowId = rig.id('waits');
    const policy = { limits, breaker: { consecutiveFailureThreshold: 1 } };
    const calls = [{ tool: 'look', tokens: 10 }] as const;
    const { outcomes, report } = await rig.run({ calls, policy }, workflowId);
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.equal(outcomes[0].report.attempts, 1);
    assert.deepEqual(report.pool, { total: 3, spent: 0, reserved: 0 });
    assert.equal(report.interruptionsLeft, 15);
    assert.deepEqual(limiter.log, ['ask 10', 'ask 10 as place 1']);
    assert.equal(rig.requests(), 1);
    const { events } = await rig.client.workflow.getHandle(workflowId).fetchHistory();
    const waits = (events ?? []).flatMap(
      ({ activityTaskFailedEventAttributes: failed }) =>
        failed?.failure?.applicationFailureInfo?.type ?? [],
    );
    assert.deepEqual(waits, ['holdfast.wait']);
    const timers = (events ?? []).filter((event) => event.timerStartedEventAttributes != null);
    assert.ok(timers.length >= 1);
  });

  it('keeps the failures before it, so that attempts stay finite', async () => {
    rig.restart({ every: { faults: [{ kind: 'status', status: 503 }] } });
    let asked = 0;
    limiter.answer(async () => {
      asked += 1;
      if (asked % 2 === 1) return { kind: 'later', waitMs: 100, ticket: `place ${asked}` };
      return {
        kind: 'admitted',
        reservation: { settle: async () => {}, release: async () => {} },
      };
    });
    const { outcomes } = await rig.run({ calls: [{ tool: 'look' }], policy: { limits } });
    assert.equal(outcomes[0]?.kind, 'exhausted');
    assert.equal(outcomes[0].report.attempts, 3);
    assert.equal(rig.requests(), 3);
  });

  it('that passes the deadline is not begun', async () => {
    rig.restart();
    laterOnce(60_000);
    const policy = { limits, deadlineMs: 5_000 };
    const { outcomes } = await rig.run({ calls: [{ tool: 'look' }], policy });
    const [outcome] = outcomes;
    assert.equal(outcome?.kind, 'exhausted');
    assert.ok('reason' in outcome.report);
    assert.equal(outcome.report.reason, 'wait');
    assert.equal(rig.requests(), 0);
  });

  it('ends with its workflow', async () => {
    rig.restart();
    laterOnce(60_000);
    const handle = await rig.client.workflow.start('errand', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('cancelled'),
      args: [{ calls: [{ tool: 'pay_back' }], policy: { limits } }],
    });
    while (limiter.log.length === 0) await pause(20);
    await handle.cancel();
    await assert.rejects(handle.result(), ({ cause }: Error) => {
      assert.equal((cause as Error).name, 'CancelledFailure');
      return true;
    });
    assert.equal(rig.requests(), 0);
  });

  it('has no share in a call without limits', async () => {
    rig.restart();
    limiter.answer();
    const { outcomes } = await rig.run({ calls: [{ tool: 'look' }] });
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.deepEqual(limiter.log, []);
  });
});

describe('a request beyond every limit', () => {
  it('fails at once and truthfully, and nothing is sent or spent', async () => {
    rig.restart();
    limiter.answer(() => {
      throw new LimitExceededError('shop', 5_000, 1_000);
    });
    const calls = [{ tool: 'look', tokens: 5_000 }] as const;
    const { outcomes, report } = await rig.run({ calls, policy: { limits } });
    const [outcome] = outcomes;
    assert.equal(outcome?.kind, 'failed');
    assert.ok('reason' in outcome.report);
    assert.equal(outcome.report.reason, 'limit-exceeded');
    assert.equal(outcome.report.class, 'invalid-request');
    assert.equal(outcome.report.attempts, 0);
    assert.match(outcome.report.message, /5000 tokens/);
    assert.deepEqual(report.pool, { total: 3, spent: 0, reserved: 0 });
    assert.equal(rig.requests(), 0);
  });
});

describe('a bulkhead', () => {
  it('keeps one hanging downstream from taking every slot of the worker', async () => {
    await rig.worker.stop();
    limiter.answer();
    const worker = await rig.startWorker({ maxConcurrentActivityTaskExecutions: 4 });
    rig.restart({ every: { delay: { ms: 60_000 } } });
    const policy: PolicyInput = {
      maxAttempts: 1,
      deadlineMs: 12_000,
      downstreams: { shop: { limits: { maxConcurrent: 2 } } },
    };
    const hanging = Array.from({ length: 8 }, () => rig.run({ calls: [{ tool: 'look' }], policy }));
    while (rig.requests() < 2) await pause(20);
    const served = await Promise.all(
      Array.from({ length: 8 }, () => rig.run({ calls: [{ tool: 'look_elsewhere' }], policy })),
    );
    assert.deepEqual(
      served.map(({ outcomes }) => outcomes[0]?.kind),
      Array(8).fill('ok'),
    );
    const ends = await Promise.all(hanging);
    assert.ok(ends.every(({ outcomes }) => outcomes[0]?.kind !== 'ok'));
    assert.equal(rig.shop.stats().totals.inFlightPeak, 2);
    await worker.stop();
  });
});
