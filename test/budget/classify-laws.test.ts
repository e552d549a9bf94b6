import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { classify } from '../../src/budget/classify.js';
import type { ErrorFacts } from '../../src/budget/classify-types.js';
import { errorFacts } from '../../src/budget/error-facts.js';

const headerNames = [
  'retry-after',
  'Retry-After-Ms',
  'x-ratelimit-reset',
  'date',
  'x-should-retry',
];
const words = [
  'rate_limit_exceeded',
  'Please try again in 5s.',
  'limit: 0',
  '-1',
  '9e99',
  '{"error":{"code":429}}',
  'Wed, 21 Oct 2026 07:28:30 GMT',
];
const text = fc.oneof(fc.string(), fc.constantFrom(...words));
const error = fc.record(
  {
    status: fc.oneof(fc.integer({ min: 0, max: 700 }), fc.constant(null)),
    headers: fc.dictionary(fc.oneof(fc.constantFrom(...headerNames), fc.string()), text),
    code: fc.oneof(text, fc.integer(), fc.constant(null)),
    name: fc.oneof(text, fc.constant(null)),
    body: fc.oneof(fc.jsonValue(), fc.record({ error: fc.record({ message: text, code: text }) })),
    cause: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

/** Statuses below 500 that mean "try again" by themselves. */
const retryable4xx = [408, 409, 425, 429, 499];

describe('classify, on anything', () => {
  it('never throws on JSON, and no hint is negative, broken or endless', () => {
    const anyJson = fc.oneof(error, fc.jsonValue());
    fc.assert(
      fc.property(anyJson, fc.boolean(), (facts, localAborted) => {
        // Whatever JSON a caller hands over must be judged, so the type is set aside here.
        const verdict = classify({ error: facts as Partial<ErrorFacts>, localAborted });
        const hint = verdict.retryAfterMs;
        assert.ok(hint === null || (Number.isSafeInteger(Math.min(hint, 1e15)) && hint >= 0));
        assert.ok(hint === null || Number.isFinite(hint));
      }),
      { numRuns: 1000 },
    );
  });

  it('gives the same verdict twice, and for a copy', () => {
    fc.assert(
      fc.property(error, (facts) => {
        const first = classify({ error: facts });
        assert.deepEqual(classify({ error: facts }), first);
        assert.deepEqual(classify({ error: structuredClone(facts) }), first);
      }),
    );
  });

  it('changes nothing in what it reads', () => {
    fc.assert(
      fc.property(error, (facts) => {
        const before = JSON.stringify(facts);
        classify({ error: facts });
        assert.equal(JSON.stringify(facts), before);
      }),
    );
  });

  it('never retries a bare 4xx without a special meaning', () => {
    for (let status = 400; status < 500; status += 1) {
      const verdict = classify({ error: { status } });
      assert.equal(verdict.retryable, retryable4xx.includes(status), String(status));
    }
  });

  it('never retries what the caller cancelled', () => {
    fc.assert(
      fc.property(error, (facts) => {
        const verdict = classify({ error: facts, localAborted: true });
        assert.deepEqual([verdict.class, verdict.retryable], ['cancelled', false]);
      }),
    );
  });

  it('never retries where the body forbids it', () => {
    fc.assert(
      fc.property(error, (facts) => {
        const forbidding = { ...facts, body: { retryable: false, said: facts.body } };
        assert.equal(classify({ error: forbidding }).retryable, false);
      }),
    );
  });

  it('never retries a quota, and never waits over an hour for anything else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e7 }), (seconds) => {
        const headers = { 'retry-after': String(seconds) };
        const verdict = classify({ error: { status: 429, headers } });
        const isQuota = seconds > 3600;
        assert.equal(verdict.class, isQuota ? 'quota' : 'rate-limit');
        assert.equal(verdict.retryable, !isQuota);
        assert.equal(verdict.fallback, seconds > 600);
        assert.equal(verdict.retryAfterMs, seconds * 1000);
      }),
    );
  });

  it('always offers a fallback for an error inside a 200', () => {
    fc.assert(
      fc.property(error, (facts) => {
        const verdict = classify({ error: { ...facts, status: 200 } });
        assert.ok(verdict.fallback || verdict.class === 'cancelled');
      }),
    );
  });

  it('offers it as well where the error of the 200 is only the cause of another', () => {
    fc.assert(
      fc.property(error, (facts) => {
        const cause = { ...facts, status: 200 };
        const verdict = classify({ error: { name: 'Error', body: { message: 'step 2' }, cause } });
        assert.ok(verdict.fallback || verdict.class === 'cancelled');
      }),
    );
  });

  it('judges what was thrown as it judges its facts after a trip through JSON', () => {
    fc.assert(
      fc.property(error, (facts) => {
        const made = errorFacts(Object.assign(new Error('x'), facts));
        const sent = JSON.parse(JSON.stringify(made)) as ErrorFacts; // what JSON made of facts
        assert.deepEqual(classify({ error: sent }), classify({ error: made }));
      }),
    );
  });
});
