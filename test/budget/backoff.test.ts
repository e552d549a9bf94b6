import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type BackoffRequest,
  backoffDefaults,
  backoffDelay,
  envelopeMs,
  longestDelayMs,
  retryDelay,
} from '../../src/budget/index.js';
import { chainOfWaits } from '../support/waits.js';

describe('backoffDelay', () => {
  const request: BackoffRequest = { ...backoffDefaults, retry: 0, random: () => 0.5 };

  it('is not rounded', () => {
    assert.equal(backoffDelay({ ...request, baseMs: 201, random: () => 0.25 }), 50.25);
  });

  it('starts from the base where no wait came before', () => {
    assert.equal(backoffDelay({ ...request, jitter: 'decorrelated' }), 400);
  });

  it('is at least 1 ms, since a delay of 0 ends the activity', () => {
    assert.equal(backoffDelay({ ...request, random: () => 0 }), 1);
  });

  it('stays random at the cap', () => {
    const at = (draw: number) => backoffDelay({ ...request, retry: 50, random: () => draw });
    assert.deepEqual([at(0.25), at(0.75)], [750, 2_250]);
  });

  const anyMs = fc.oneof(
    fc.constantFrom(0, 1, 200, longestDelayMs, 1e18, Number.MAX_VALUE, Number.POSITIVE_INFINITY),
    fc.double({ min: 0, max: 1e12, noNaN: true }),
  );
  it('lies in [1, cap] for any attempt number, wait before and source of chance', () => {
    fc.assert(
      fc.property(
        fc.record({
          retry: fc.oneof(fc.nat(2_000), fc.constantFrom(100_000, Number.MAX_SAFE_INTEGER)),
          baseMs: anyMs,
          capMs: anyMs.map((ms) => Math.max(1, ms)),
          jitter: fc.constantFrom('full' as const, 'decorrelated' as const, 'none' as const),
          previousMs: anyMs,
          draw: fc.oneof(fc.double(), fc.double({ min: 0, max: 1, noNaN: true })),
        }),
        ({ draw, ...rest }) => {
          const delayMs = backoffDelay({ ...rest, random: () => draw });
          assert.ok(Number.isFinite(delayMs) && delayMs >= 1 && delayMs <= rest.capMs);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

describe('faults of backoff that were reported in public', () => {
  const none = { jitter: 'none', random: () => 0 } as const;

  it('connor4312/cockatiel#86: decorrelated waits are finite at attempt 1025', () => {
    const base = { baseMs: 100, capMs: 30_000 };
    const waits = chainOfWaits(
      base,
      Array.from({ length: 1_026 }, () => 1),
    );
    assert.equal(waits[1_025], 30_000);
  });

  it('App-vNext/Polly#1866: attempt 1000 keeps the cap', () => {
    assert.equal(backoffDelay({ ...none, retry: 1_000, baseMs: 2_000, capMs: 300_000 }), 300_000);
  });

  for (const retry of [31, 32, 40, 63, 64, 65, 66, 67]) {
    it(`thomhurst/Dekaf#3068, onosproject/onos-lib-go#127: attempt ${retry} wraps nowhere`, () => {
      assert.equal(backoffDelay({ ...none, retry, baseMs: 100, capMs: 60_000 }), 60_000);
    });
  }

  it('elennick/retry4j#36: the first wait is the base, not 0', () => {
    assert.equal(backoffDelay({ ...none, retry: 0, baseMs: 100, capMs: 60_000 }), 100);
  });

  for (const capMs of [2_147_483_648, Number.POSITIVE_INFINITY]) {
    it(`fluent/fluent-logger-forward-node#44: a cap of ${capMs} makes no timer fire at once`, () => {
      assert.equal(backoffDelay({ ...none, retry: 99, baseMs: 1_000, capMs }), 2_147_483_647);
    });
  }

  it('openai/openai-node#1840: a hint of ten minutes makes no shorter sleep', () => {
    const delayMs = retryDelay({
      retry: 0,
      baseMs: 500,
      capMs: 8_000,
      jitter: 'full',
      random: () => 0.5,
      hintMs: 600_000,
    });
    assert.equal(delayMs, 600_250);
  });
});

describe('retryDelay', () => {
  const request: BackoffRequest = { ...backoffDefaults, retry: 2, random: () => 0.5 };

  it('is the backoff where the server gave no hint', () => {
    assert.equal(retryDelay(request), backoffDelay(request));
  });

  it('is the hint itself without jitter', () => {
    assert.equal(retryDelay({ ...request, jitter: 'none', hintMs: 5_000 }), 5_000);
  });

  it('is at least 1 ms for a hint of 0', () => {
    assert.equal(retryDelay({ ...request, jitter: 'none', hintMs: 0 }), 1);
  });

  for (const hintMs of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
    it(`refuses a hint of ${hintMs}, which would pass a comparison unseen`, () => {
      assert.throws(() => retryDelay({ ...request, hintMs }), { field: 'hintMs' });
    });
  }

  it('is never shorter than the hint, for any policy and source of chance', () => {
    fc.assert(
      fc.property(
        fc.nat(100_000),
        fc.constantFrom('full' as const, 'decorrelated' as const, 'none' as const),
        fc.double({ min: 0, max: 1e10, noNaN: true }),
        fc.double(),
        (retry, jitter, hintMs, draw) => {
          const delayMs = retryDelay({ ...request, retry, jitter, hintMs, random: () => draw });
          assert.ok(Number.isFinite(delayMs) && delayMs >= Math.max(1, hintMs));
        },
      ),
    );
  });
});

describe('an invalid backoff', () => {
  const request: BackoffRequest = { ...backoffDefaults, retry: 0, random: () => 0.5 };
  const rows: readonly { readonly field: string; readonly values: readonly unknown[] }[] = [
    { field: 'retry', values: [-1, 0.5, Number.NaN, undefined, '1'] },
    { field: 'baseMs', values: [-1, Number.NaN, undefined] },
    { field: 'capMs', values: [0, 0.5, -1, Number.NaN, undefined] },
    { field: 'previousMs', values: [-1, Number.NaN] },
    { field: 'jitter', values: ['equal', undefined] },
  ];
  for (const { field, values } of rows) {
    for (const value of values) {
      it(`is refused by the name ${field} (${typeof value} ${String(value)})`, () => {
        // The types forbid most of these; a policy from a file may hold them.
        const given = { ...request, [field]: value } as BackoffRequest;
        assert.throws(() => backoffDelay(given), { code: 'invalid-request', field });
      });
    }
  }
});

describe('envelopeMs', () => {
  it('takes a base above the cap as the cap', () => {
    assert.equal(envelopeMs({ retry: 0, baseMs: 5_000, capMs: 3_000 }), 3_000);
  });

  it('takes an endless attempt number', () => {
    const request = { retry: Number.POSITIVE_INFINITY, baseMs: 200, capMs: 3_000 };
    assert.equal(envelopeMs(request), 3_000);
  });

  it('is 0 for a base of 0, at any attempt number', () => {
    assert.equal(envelopeMs({ retry: Number.MAX_SAFE_INTEGER, baseMs: 0, capMs: 3_000 }), 0);
  });
});
