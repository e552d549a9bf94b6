import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noUsage } from '../../src/activities/attempt-usage.js';
import { type FailedAttempt, judge } from '../../src/activities/verdict.js';
import { type CallHeader, noSums } from '../../src/contract/call-header.js';
import { readHeader, statusError } from './attempts.js';

const limited = { limits: { tokensPerMinute: 1_000 } } as const;

function delayAfter(
  thrown: unknown,
  header: Partial<CallHeader>,
  given: Partial<Omit<FailedAttempt, 'header'>> = {},
): number | undefined {
  return judge({
    thrown,
    header: { ...readHeader, ...header },
    began: true,
    before: noSums,
    used: { usage: noUsage, expected: () => noUsage },
    timeLeftMs: 600_000,
    nowMs: 0,
    random: () => 0.5,
    ...given,
  }).delayMs;
}

describe('the first wait after a rate limit', () => {
  it('covers the window of a downstream that is limited by the minute', () => {
    assert.equal(delayAfter(statusError(429), limited), 60_100);
  });

  const rows: readonly (readonly [string, () => number | undefined])[] = [
    ['without limits', () => delayAfter(statusError(429), {})],
    [
      'where only the calls at once are limited',
      () => delayAfter(statusError(429), { limits: { maxConcurrent: 2 } }),
    ],
    [
      'where it passes the deadline',
      () => delayAfter(statusError(429), limited, { timeLeftMs: 60_000 }),
    ],
    [
      'where the policy waits for no hint as long',
      () => delayAfter(statusError(429), { ...limited, hintCapMs: 30_000 }),
    ],
    ['after another failure', () => delayAfter(statusError(503), limited)],
    [
      'after the first',
      () =>
        delayAfter(statusError(429), limited, {
          before: { failed: 'n', tokensWasted: 0, ambiguous: false },
        }),
    ],
  ];
  for (const [name, delay] of rows) {
    it(`is the backoff ${name}`, () => {
      const delayMs = delay();
      assert.ok(delayMs !== undefined && delayMs <= 3_000, `${delayMs} ms`);
    });
  }

  it('is the hint where the downstream gives one', () => {
    const hinted = statusError(429, { headers: { 'retry-after': '5' } });
    assert.equal(delayAfter(hinted, limited), 5_100);
  });
});
