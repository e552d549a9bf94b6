import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backoffDelay } from '../../src/budget/index.js';
import { resilienceRow } from '../support/vectors.js';
import { chainOfWaits } from '../support/waits.js';

const secondMs = 1_000;
const dayMs = 86_400_000;

/** Returns a seeded source of chance (a linear congruence: good enough for a histogram). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function assertNear(actual: readonly number[], expected: readonly number[]): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, index) => {
    const wanted = expected[index] ?? Number.NaN;
    assert.ok(Math.abs(value - wanted) <= 1e-9 * wanted, `${value} beside ${wanted}`);
  });
}

describe('the handed backoff rows', () => {
  const v13 = resilienceRow<{
    input: { base_s: number; cap_s: number };
    expected: readonly number[];
  }>('V13');

  for (const jitter of ['none', 'full'] as const) {
    it(`V13: the envelope doubles up to its cap (${jitter}, upper end)`, () => {
      const delays = v13.expected.map((_, retry) =>
        backoffDelay({
          retry,
          baseMs: v13.input.base_s * secondMs,
          capMs: v13.input.cap_s * secondMs,
          jitter,
          random: () => 1,
        }),
      );
      assertNear(
        delays,
        v13.expected.map((seconds) => seconds * secondMs),
      );
    });
  }

  it('V17: full jitter is uniform at the cap', () => {
    const { input, expected } = resilienceRow<{
      input: { n: number; cap_s: number; attempt: number };
      expected: { buckets: number; tolerance: number };
    }>('V17');
    const random = seeded(17);
    const buckets = Array.from({ length: expected.buckets }, () => 0);
    for (let drawn = 0; drawn < input.n; drawn++) {
      const delayMs = backoffDelay({
        retry: input.attempt,
        baseMs: secondMs,
        capMs: input.cap_s * secondMs,
        jitter: 'full',
        random,
      });
      const bucket = Math.floor(delayMs / secondMs);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    const mean = input.n / expected.buckets;
    assert.equal(buckets.length, expected.buckets);
    for (const count of buckets) assert.ok(Math.abs(count - mean) <= expected.tolerance * mean);
  });

  it('V19: attempt 100,000 waits for the cap', () => {
    const { input, expected } = resilienceRow<{
      input: { initial_s: number; attempt: number; cap_s: number };
      expected: { delay_s: number };
    }>('V19');
    const delayMs = backoffDelay({
      retry: input.attempt,
      baseMs: input.initial_s * secondMs,
      capMs: input.cap_s * secondMs,
      jitter: 'none',
      random: () => 0,
    });
    assert.equal(delayMs, expected.delay_s * secondMs);
  });

  it('V53: decorrelated waits follow from the wait before', () => {
    const { input, expected } = resilienceRow<{
      input: { base: number; cap: number; u: readonly number[] };
      expected: readonly number[];
    }>('V53');
    assertNear(chainOfWaits({ baseMs: input.base, capMs: input.cap }, input.u), expected);
  });

  const v54 = resilienceRow<{
    input: { base: number; cap: number };
    expected: { u1: readonly number[]; u0: readonly number[] };
  }>('V54');
  for (const [draw, expected] of [[1, v54.expected.u1] as const, [0, v54.expected.u0] as const]) {
    it(`V54: decorrelated waits at the end ${draw} of chance`, () => {
      const base = { baseMs: v54.input.base, capMs: v54.input.cap };
      assert.deepEqual(
        chainOfWaits(
          base,
          expected.map(() => draw),
        ),
        expected,
      );
    });
  }

  it('V55: decorrelated waits may get shorter', () => {
    const { input, expected } = resilienceRow<{
      input: { base: number; cap: number; u: readonly number[] };
      expected: readonly number[];
    }>('V55');
    assertNear(chainOfWaits({ baseMs: input.base, capMs: input.cap }, input.u), expected);
  });

  it('V58: a base of a day overflows at no attempt', () => {
    const { input, expected } = resilienceRow<{
      input: { base_days: number; attempt: number; cap_days: number };
      expected: { delay_days: number };
    }>('V58');
    const base = { baseMs: input.base_days * dayMs, capMs: input.cap_days * dayMs };
    const none = { ...base, jitter: 'none', random: () => 0 } as const;
    assert.equal(backoffDelay({ ...none, retry: input.attempt }), expected.delay_days * dayMs);
    for (const retry of [1, 2, 3, 4, 10, 100, 1000, 1024, 1025]) {
      const delayMs = backoffDelay({ ...base, jitter: 'full', retry, random: () => 0.5 });
      assert.ok(delayMs > 0 && delayMs <= base.capMs);
    }
  });
});
