import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { PolicyInput, RunReport } from 'holdfast/contract';
import { type ShopRig, startShopRig } from '../support/shop-rig.js';

let rig: ShopRig;
const down = { every: { faults: [{ kind: 'status', status: 503 }] } } as const;
const once = { maxAttempts: 1 } as const;

before(async () => {
  rig = await startShopRig();
});
after(() => rig.stop());

describe('the breaker of a worker', () => {
  // Each test has a worker of its own: what a worker has seen is over with it.
  let stop: () => Promise<void>;
  before(() => rig.worker.stop());
  beforeEach(async () => {
    await stop?.();
    const worker = await rig.startWorker();
    stop = worker.stop;
  });

  const reasons = async (tool: 'look' | 'look_or_guess', policy: PolicyInput): Promise<string> => {
    const { outcomes } = await rig.run({ calls: [{ tool }], policy });
    const [outcome] = outcomes;
    const reason = outcome !== undefined && 'reason' in outcome.report ? outcome.report.reason : '';
    return `${outcome?.kind} ${reason}`.trim();
  };

  it('opens over several workflows, and sends nothing of the next one', async () => {
    rig.restart(down);
    for (let run = 0; run < 5; run++) {
      assert.equal(await reasons('look', once), 'exhausted attempts');
    }
    const { outcomes, report } = await rig.run({ calls: [{ tool: 'look' }] });
    const [rejected] = outcomes;
    assert.equal(rejected?.kind, 'rejected');
    assert.ok('reason' in rejected.report);
    assert.equal(rejected.report.reason, 'breaker-open');
    assert.equal(rejected.report.class, null);
    assert.equal(rejected.report.attempts, 0);
    assert.ok((rejected.report.retryAfterMs ?? 0) > 0);
    assert.deepEqual(report.pool, { total: 3, spent: 0, reserved: 0 });
    assert.equal(rig.requests(), 5);
    assert.equal(await reasons('look_or_guess', {}), 'degraded breaker-open');
    assert.equal(rig.requests(), 5);
  });

  it('leaves another downstream alone', async () => {
    rig.restart(down);
    for (let run = 0; run < 5; run++) await reasons('look', once);
    const { outcomes } = await rig.run({ calls: [{ tool: 'look' }, { tool: 'look_elsewhere' }] });
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['rejected', 'ok'],
    );
  });

  it('ends a call in mid-retry, which is then exhausted and keeps what it has spent', async () => {
    rig.restart(down);
    const policy = { workerBreaker: { consecutiveFailureThreshold: 2 } };
    const { outcomes, report } = await rig.run({ calls: [{ tool: 'look' }], policy });
    const [outcome] = outcomes;
    assert.equal(outcome?.kind, 'exhausted');
    assert.ok('reason' in outcome.report);
    assert.equal(outcome.report.reason, 'breaker-open');
    assert.equal(outcome.report.attempts, 2);
    assert.deepEqual(report.pool, { total: 3, spent: 1, reserved: 0 });
    assert.equal(rig.requests(), 2);
  });

  it('lets one probe of all workflows through, and closes when it is answered', async () => {
    rig.restart(down);
    const workerBreaker = {
      consecutiveFailureThreshold: 1,
      halfOpenAfterCalls: 2,
      openForMs: 1,
    } as const;
    const policy = { ...once, workerBreaker };
    const ask = (): Promise<string> => reasons('look', policy);
    assert.equal(await ask(), 'exhausted attempts');
    assert.deepEqual([await ask(), await ask()], Array(2).fill('rejected breaker-open'));
    assert.equal(rig.requests(), 1);
    rig.restart({ every: { delay: { ms: 2_500 } } });
    // A probe that takes longer than the others is forfeited to the next but two.
    const burst = await Promise.all([ask(), ask(), ask()]);
    assert.deepEqual(burst.toSorted(), ['ok', 'rejected breaker-open', 'rejected breaker-open']);
    assert.equal(rig.requests(), 1);
    rig.restart();
    assert.deepEqual(await Promise.all([ask(), ask(), ask()]), ['ok', 'ok', 'ok']);
  });

  it('is waited for by an undo', async () => {
    rig.restart({ lookup: { faults: [{ kind: 'status', status: 503 }] } });
    const policy: PolicyInput = {
      ...once,
      workerBreaker: { consecutiveFailureThreshold: 1, halfOpenAfterCalls: 1, openForMs: 500 },
    };
    const report: RunReport = await rig.client.workflow.execute('undoing', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('undoing'),
      args: [policy],
    });
    const ends = report.compensations?.map(({ tool, kind }) => `${tool} ${kind}`);
    assert.deepEqual(ends, ['pay_back undone']);
    const { effects, requests } = rig.shop.stats().routes.refunds;
    assert.deepEqual({ effects, requests }, { effects: 2, requests: 2 });
  });

  it('only says so where the gate looks on', async () => {
    rig.restart(down);
    const policy = { mode: 'observe', workerBreaker: { consecutiveFailureThreshold: 1 } } as const;
    await reasons('look', policy);
    assert.equal(rig.requests(), 3);
    const said = rig.decisions().filter(({ decision }) => decision === 'would-reject');
    assert.ok(said.some(({ reason }) => reason === 'breaker-open'));
  });
});
