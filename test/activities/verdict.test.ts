import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import fc from 'fast-check';
import { z } from 'zod';
import type { AttemptUse } from '../../src/activities/attempt-usage.js';
import { AttemptDeadline } from '../../src/activities/deadline.js';
import { InvalidAnswerError, InvalidInputError } from '../../src/activities/tool-answer.js';
import { type FailedAttempt, judge, type Verdict } from '../../src/activities/verdict.js';
import type { ErrorClass } from '../../src/budget/classify-types.js';
import { type CallHeader, noSums } from '../../src/contract/call-header.js';
import { readHeader, statusError } from './attempts.js';

type Given = Partial<Omit<FailedAttempt, 'header'>> & { readonly header?: Partial<CallHeader> };

const nowMs = Date.UTC(2026, 0, 5);

/** Returns what an attempt used that cost nothing. */
function used(tokens: number, expected = 0): AttemptUse {
  return {
    usage: { tokens, costMicros: 0 },
    expected: () => ({ tokens: expected, costMicros: 0 }),
  };
}

function verdictOn(thrown: unknown, { header = {}, ...given }: Given = {}): Verdict {
  return judge({
    thrown,
    header: { ...readHeader, ...header },
    began: true,
    before: noSums,
    used: used(0),
    timeLeftMs: 60_000,
    nowMs,
    random: () => 0.5,
    ...given,
  });
}

const network = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
const refused = Object.assign(new TypeError('fetch failed'), {
  cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
});
const filtered = statusError(400, { code: 'content_filter' });
const fault = [{ field: 'tool.output', rule: 'must be a number', value: 'x' }];

type Row = {
  readonly class: ErrorClass;
  readonly thrown: unknown;
  /** Whether a read gets another attempt. */
  readonly retried: boolean;
  /** How the breaker counts it: a failure, or neutral. */
  readonly letter: 'f' | 'n';
  /** Whether a write may have happened all the same. */
  readonly ambiguous: boolean;
};

const rows: readonly Row[] = [
  { class: 'server', thrown: statusError(500), retried: true, letter: 'f', ambiguous: true },
  { class: 'network', thrown: network, retried: true, letter: 'f', ambiguous: true },
  { class: 'network', thrown: refused, retried: true, letter: 'f', ambiguous: false },
  { class: 'overloaded', thrown: statusError(529), retried: true, letter: 'f', ambiguous: true },
  { class: 'timeout', thrown: statusError(504), retried: true, letter: 'f', ambiguous: true },
  { class: 'timeout', thrown: new AttemptDeadline(5), retried: true, letter: 'f', ambiguous: true },
  { class: 'rate-limit', thrown: statusError(429), retried: true, letter: 'n', ambiguous: false },
  { class: 'quota', thrown: statusError(402), retried: false, letter: 'f', ambiguous: false },
  { class: 'conflict', thrown: statusError(409), retried: true, letter: 'n', ambiguous: false },
  { class: 'unknown', thrown: new Error('odd'), retried: false, letter: 'f', ambiguous: true },
  {
    class: 'validation',
    thrown: new SyntaxError('Unexpected token'),
    retried: false,
    letter: 'n',
    ambiguous: true,
  },
  {
    class: 'validation',
    thrown: z.number().safeParse('x').error,
    retried: false,
    letter: 'n',
    ambiguous: true,
  },
  { class: 'auth', thrown: statusError(401), retried: false, letter: 'n', ambiguous: false },
  { class: 'auth', thrown: statusError(403), retried: false, letter: 'n', ambiguous: false },
  {
    class: 'invalid-request',
    thrown: statusError(400),
    retried: false,
    letter: 'n',
    ambiguous: false,
  },
  {
    class: 'invalid-request',
    thrown: statusError(422),
    retried: false,
    letter: 'n',
    ambiguous: false,
  },
  {
    class: 'invalid-request',
    thrown: new InvalidInputError(fault),
    retried: false,
    letter: 'n',
    ambiguous: false,
  },
  { class: 'not-found', thrown: statusError(404), retried: false, letter: 'n', ambiguous: false },
  {
    class: 'context-length',
    thrown: statusError(413),
    retried: false,
    letter: 'n',
    ambiguous: false,
  },
  { class: 'content-filter', thrown: filtered, retried: false, letter: 'n', ambiguous: false },
  {
    class: 'validation',
    thrown: new InvalidAnswerError(fault),
    retried: false,
    letter: 'n',
    ambiguous: true,
  },
];

function nameOf({ class: name, thrown }: Row): string {
  return `${name} (${thrown instanceof Error ? thrown.message : String(thrown)})`;
}

describe('the verdict on a failed attempt', () => {
  for (const row of rows) {
    it(`is ${row.retried ? 'a retry' : 'a stop'} for a read: ${nameOf(row)}`, () => {
      const { classification, delayMs, stop, sums } = verdictOn(row.thrown);
      assert.equal(classification.class, row.class);
      assert.equal(delayMs !== undefined, row.retried);
      assert.equal(stop, null);
      assert.equal(sums.failed, row.letter);
      assert.equal(sums.ambiguous, false);
    });

    it(`is the same for a write whose downstream honours keys: ${nameOf(row)}`, () => {
      const { delayMs, sums } = verdictOn(row.thrown, { header: { effect: 'idempotent-write' } });
      assert.equal(delayMs !== undefined, row.retried);
      assert.equal(sums.ambiguous, row.ambiguous);
    });

    const isSentAgain = row.retried && !row.ambiguous;
    it(`${isSentAgain ? 'sends' : 'never sends'} a plain write again: ${nameOf(row)}`, () => {
      const { delayMs, stop, sums } = verdictOn(row.thrown, { header: { effect: 'write' } });
      assert.equal(delayMs !== undefined, isSentAgain);
      assert.equal(stop, row.retried && row.ambiguous ? 'not-retryable' : null);
      assert.equal(sums.ambiguous, row.ambiguous);
    });
  }

  it('never sends a plain write again once any attempt was ambiguous', () => {
    const before = { ...noSums, failed: 'f', ambiguous: true };
    const { delayMs, stop } = verdictOn(statusError(429), { header: { effect: 'write' }, before });
    assert.equal(delayMs, undefined);
    assert.equal(stop, 'not-retryable');
  });

  it('adds the attempt to what was before it', () => {
    const before = { failed: 'fn', tokensWasted: 40, ambiguous: false };
    const { sums } = verdictOn(statusError(500), { before, used: used(2), header: { share: 9 } });
    assert.deepEqual(
      { ...sums, delayMs: 0 },
      { failed: 'fnf', tokensWasted: 42, ambiguous: false, delayMs: 0 },
    );
  });
});

describe('the budgets of a failed attempt', () => {
  for (const [share, failed, retried] of [
    [0, '', false],
    [1, '', true],
    [1, 'f', false],
    [2, 'fn', false],
    [2, 'f', true],
  ] as const) {
    it(`${retried ? 'allow' : 'refuse'} retry ${failed.length + 1} of ${share}`, () => {
      const before = { ...noSums, failed };
      const { delayMs, stop } = verdictOn(statusError(500), { before, header: { share } });
      assert.equal(delayMs !== undefined, retried);
      assert.equal(stop, null);
    });
  }

  it('refuse a retry once its tokens are used up, and say so', () => {
    const header = { tokensLeft: 100 };
    assert.equal(verdictOn(statusError(500), { header, used: used(99) }).stop, null);
    assert.equal(verdictOn(statusError(500), { header, used: used(100) }).stop, 'token-budget');
    const before = { ...noSums, failed: 'f', tokensWasted: 60 };
    assert.equal(
      verdictOn(statusError(500), { header, before, used: used(40) }).stop,
      'token-budget',
    );
  });

  it('ask nothing of tokens from a tool that uses none', () => {
    const { stop, delayMs } = verdictOn(statusError(500), { header: { tokensLeft: 0 } });
    assert.equal(stop, null);
    assert.ok(delayMs !== undefined);
  });

  it('refuse a retry that would begin after the deadline, and say so', () => {
    const { delayMs, stop } = verdictOn(statusError(500), { timeLeftMs: 100 });
    assert.equal(delayMs, undefined);
    assert.equal(stop, 'deadline');
  });
});

describe('the wait before a retry', () => {
  it('is between 1 ms and the cap, whatever the chance and the number', () => {
    const retries = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(retries, fc.double({ min: 0, max: 1, noNaN: true }), (retry, chance) => {
        const before = { ...noSums, failed: 'f'.repeat(retry) };
        const { delayMs } = verdictOn(statusError(500), {
          before,
          random: () => chance,
          header: { share: 200_000 },
        });
        assert.ok(delayMs !== undefined && delayMs >= 1 && delayMs <= 3_000);
      }),
    );
  });

  it('is remembered for decorrelated jitter', () => {
    const header = { backoff: { baseMs: 100, capMs: 10_000, jitter: 'decorrelated' } } as const;
    const before = { ...noSums, failed: 'f', delayMs: 400 };
    const { delayMs, sums } = verdictOn(statusError(500), { header, before, random: () => 1 });
    assert.equal(delayMs, 1_200);
    assert.equal(sums.delayMs, 1_200);
  });

  const hints: readonly (readonly [string, unknown, number])[] = [
    ['Retry-After in seconds', statusError(429, { headers: { 'retry-after': '7' } }), 7_000],
    ['a fraction of a second', statusError(503, { headers: { 'retry-after': '1.5' } }), 1_500],
    [
      'Retry-After as a date',
      statusError(429, { headers: { 'retry-after': 'Mon, 05 Jan 2026 00:00:09 GMT' } }),
      9_000,
    ],
    ['retry-after-ms', statusError(429, { headers: { 'retry-after-ms': '4200' } }), 4_200],
    [
      'a failure’s own delay',
      ApplicationFailure.create({ message: 'x', nextRetryDelay: 6_000 }),
      6_000,
    ],
    [
      'a failure’s own delay as text',
      ApplicationFailure.create({ message: 'x', nextRetryDelay: '8 s' }),
      8_000,
    ],
  ];
  for (const [name, thrown, hintMs] of hints) {
    it(`is never shorter than the hint: ${name}`, () => {
      for (const chance of [0, 0.5, 1]) {
        const { delayMs } = verdictOn(thrown, { random: () => chance });
        assert.ok(delayMs !== undefined && delayMs >= hintMs && delayMs <= hintMs + 3_000);
      }
    });

    it(`becomes a stop where the hint passes the policy’s cap: ${name}`, () => {
      const { delayMs, stop } = verdictOn(thrown, { header: { hintCapMs: hintMs - 1 } });
      assert.equal(delayMs, undefined);
      assert.equal(stop, 'not-retryable');
    });

    it(`becomes a stop where the hint passes the deadline: ${name}`, () => {
      const { delayMs, stop } = verdictOn(thrown, { timeLeftMs: hintMs });
      assert.equal(delayMs, undefined);
      assert.equal(stop, 'deadline');
    });
  }
});

describe('a failure of the tool’s own', () => {
  it('is retried unless it says otherwise, whatever its class', () => {
    assert.ok(verdictOn(ApplicationFailure.retryable('odd')).delayMs !== undefined);
    assert.equal(verdictOn(ApplicationFailure.nonRetryable('odd')).delayMs, undefined);
  });

  it('is retried for a plain activity although nobody knows what it is', () => {
    const header = { adopted: true };
    assert.ok(verdictOn(new Error('odd'), { header }).delayMs !== undefined);
    assert.equal(verdictOn(statusError(400), { header }).delayMs, undefined);
    const forbidden = Object.assign(new Error('odd'), { retryable: false });
    assert.equal(verdictOn(forbidden, { header }).delayMs, undefined);
  });
});
