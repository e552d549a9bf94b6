import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ShopRig, startShopRig } from '../support/shop-rig.js';

let rig: ShopRig;

before(async () => {
  rig = await startShopRig();
});
after(() => rig.stop());

const untripped = { consecutiveFailureThreshold: 'Infinity', minSamples: 1_000_000 } as const;

describe('the retry budget of a downstream', () => {
  it('is used up before the plan is: the fallback answers at once, and the outcome says why', async () => {
    rig.restart({ every: { faults: [{ kind: 'status', status: 503 }] } });
    // One retry of one call would be all of them.
    const ratio = { percent: 10, windowMs: 10_000, minSamples: 1 };
    const calls = [{ tool: 'look_or_guess' }, { tool: 'look' }] as const;
    const { outcomes, report } = await rig.run({
      calls,
      policy: { ratio, workerBreaker: untripped },
    });
    const [degraded, exhausted] = outcomes;
    assert.ok(degraded?.kind === 'degraded');
    assert.equal(degraded.reason, 'retry-budget');
    assert.equal(degraded.value.id, 'guessed');
    assert.equal(degraded.report.attempts, 1);
    assert.equal(exhausted?.kind, 'exhausted');
    assert.equal(exhausted.report.reason, 'retry-budget');
    assert.deepEqual(report.pool, { total: 3, spent: 0, reserved: 0 });
    assert.equal(rig.requests(), 2);
  });

  it('keeps what many workflows send within the calls that they make once', async () => {
    rig.restart({ every: { faults: [{ kind: 'status', status: 503, rate: 0.5 }] } });
    const ratio = { percent: 10, windowMs: 600_000, minSamples: 10 };
    const policy = {
      ratio,
      workerBreaker: untripped,
      globalRetryBudget: 100,
      breaker: { consecutiveFailureThreshold: 'Infinity' },
      backoff: { baseMs: 1, capMs: 2 },
    } as const;
    const calls = Array.from({ length: 20 }, () => ({ tool: 'look_or_guess' }) as const);
    const runs = await Promise.all(
      Array.from({ length: 5 }, () => rig.run({ calls, policy, atOnce: true })),
    );
    const outcomes = runs.flatMap((run) => run.outcomes);
    assert.equal(outcomes.length, 100);
    const refused = outcomes.filter(
      (outcome) => outcome.kind === 'degraded' && outcome.reason === 'retry-budget',
    );
    assert.ok(refused.length > 0);
    // Under the least number of samples nothing is refused; beyond it retries are a tenth of what is sent.
    const retries = rig.requests() - 100;
    assert.ok(retries * 100 <= 10 * rig.requests() + 100 * ratio.minSamples, `${retries} retries`);
  });
});
