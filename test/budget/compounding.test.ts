import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { layeredAttempts, taskSuccess } from '../../src/budget/index.js';

describe('taskSuccess', () => {
  const rows = [
    { task: { calls: 10, failureRate: 0.02 }, percent: '81.7' },
    { task: { calls: 10, failureRate: 0.02, retries: 1 }, percent: '99.6' },
    { task: { calls: 0, failureRate: 0.5 }, percent: '100.0' },
    { task: { calls: 1, failureRate: 1, retries: 9 }, percent: '0.0' },
    { task: { calls: 7, failureRate: 0 }, percent: '100.0' },
  ] as const;
  for (const { task, percent } of rows) {
    it(`is ${percent} % for ${JSON.stringify(task)}`, () => {
      assert.equal((100 * taskSuccess(task)).toFixed(1), percent);
    });
  }

  it('is the product over the calls, for any task', () => {
    fc.assert(
      fc.property(
        fc.nat(200),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(5),
        (calls, failureRate, retries) => {
          const lost = Array.from({ length: retries + 1 }).reduce<number>(
            (p) => p * failureRate,
            1,
          );
          const wanted = Array.from({ length: calls }).reduce<number>((p) => p * (1 - lost), 1);
          const reached = taskSuccess({ calls, failureRate, retries });
          assert.ok(Math.abs(reached - wanted) <= 1e-12);
        },
      ),
    );
  });

  for (const [field, task] of [
    ['calls', { calls: -1, failureRate: 0.1 }],
    ['calls', { calls: 1.5, failureRate: 0.1 }],
    ['failureRate', { calls: 1, failureRate: 1.1 }],
    ['failureRate', { calls: 1, failureRate: Number.NaN }],
    ['retries', { calls: 1, failureRate: 0.1, retries: -1 }],
  ] as const) {
    it(`refuses ${JSON.stringify(task)} by the name ${field}`, () => {
      assert.throws(() => taskSuccess(task), { code: 'invalid-request', field });
    });
  }
});

describe('layeredAttempts', () => {
  it('is 27 for three layers of three', () => {
    assert.equal(layeredAttempts([3, 3, 3]), 27);
  });

  it('is 1 where no layer retries', () => {
    assert.deepEqual([layeredAttempts([]), layeredAttempts([1, 1])], [1, 1]);
  });

  it('refuses a layer that makes no attempt', () => {
    assert.throws(() => layeredAttempts([3, 0]), { field: 'attemptsPerLayer[1]', value: 0 });
  });
});
