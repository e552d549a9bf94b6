import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom, type Random } from '../../src/lab/storm/random.js';
import {
  failureShareAllowance,
  tokenBucketAllowance,
} from '../../src/lab/storm/strategies/allowances.js';
import { type StrategyName, strategies } from '../../src/lab/storm/strategies/named.js';

const drawing = (drawn: number): Random => ({ ...createRandom(1), next: () => drawn });

describe('the waits of a storm', () => {
  // the first, the third and the hundredth wait, of a base of 200 ms and a cap of 3,000 ms
  const rows: readonly (readonly [StrategyName, number, readonly [number, number, number]])[] = [
    ['fixed', 0.5, [200, 200, 200]],
    ['fixed-jitter', 0, [200, 200, 200]],
    ['fixed-jitter', 0.5, [250, 250, 250]],
    ['fixed-jitter', 0.75, [275, 275, 275]],
    ['none', 0.5, [200, 800, 3_000]],
    ['full', 0.5, [100, 400, 1_500]],
    ['bounded', 0.5, [100, 400, 1_500]],
    ['equal', 0, [100, 400, 1_500]],
    ['equal', 0.5, [150, 600, 2_250]],
    ['no-wait', 0.5, [0, 0, 0]],
  ];
  for (const [name, drawn, expected] of rows) {
    it(`of ${name} are ${expected.join(', ')} ms where ${drawn} is drawn`, () => {
      const { waitMs } = strategies[name].create(5);
      const waits = [0, 2, 99].map((retry) =>
        waitMs({ retry, previousMs: undefined, random: drawing(drawn) }),
      );
      assert.deepEqual(waits, expected);
    });
  }

  it('of decorrelated are drawn from the base to three times the wait before', () => {
    const { waitMs } = strategies.decorrelated.create(5);
    const wait = (previousMs: number | undefined) =>
      waitMs({ retry: 1, previousMs, random: drawing(0.5) });
    assert.deepEqual([wait(undefined), wait(1_000), wait(3_000)], [400, 1_600, 3_000]);
  });
});

describe('the allowances of published studies', () => {
  it('take a retry for a whole token of a bucket, which each call fills by a share', () => {
    const { callBegins, mayRetry } = tokenBucketAllowance({ size: 5, perCall: 0.125 });
    const retries = (client: number) =>
      Array.from({ length: 6 }, () => mayRetry(client, 0, 0)).filter(Boolean).length;
    assert.equal(retries(1), 4); // the study keeps the last token
    assert.equal(retries(2), 4);
    for (let call = 0; call < 8; call++) callBegins?.(1);
    for (let call = 0; call < 17; call++) callBegins?.(2);
    assert.deepEqual([retries(1), retries(2)], [1, 3]);
  });

  it('stop retries while failures are more than a share of the calls', () => {
    const { callBegins, attemptFailed, mayRetry } = failureShareAllowance(0.1);
    for (let call = 0; call < 10; call++) callBegins?.(1);
    attemptFailed?.(1);
    assert.equal(mayRetry(1, 0, 0), true);
    attemptFailed?.(1);
    assert.equal(mayRetry(1, 0, 0), false);
  });
});

describe('the budgets and breakers of a storm', () => {
  it('are those of holdfast at its defaults: a client retries a tenth of its calls from 100 on', () => {
    for (const name of ['ratio', 'bounded', 'breaker'] as const) {
      const { allowance } = strategies[name].create(5);
      assert.ok(allowance);
      for (let call = 0; call < 200; call++) allowance.attemptSent?.(7, 0);
      const allowed = Array.from({ length: 40 }, () => allowance.mayRetry(7, 0, 0));
      assert.equal(allowed.filter(Boolean).length, 20, name);
    }
  });

  it('reject the three calls of one client after its third failure in a row, and let the next one probe', () => {
    const { guard } = strategies.breaker.create();
    assert.ok(guard);
    for (let call = 0; call < 3; call++) {
      guard.record(1, { generation: guard.admit(1, 0) ?? -1, end: 'failure', nowMs: 0 });
    }
    const admitted = Array.from({ length: 4 }, () => guard.admit(1, 0) !== undefined);
    assert.deepEqual(admitted, [false, false, false, true]);
    assert.notEqual(guard.admit(2, 0), undefined);
  });
});
