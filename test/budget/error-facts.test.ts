import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { classify } from '../../src/budget/classify.js';
import type { ErrorClass } from '../../src/budget/classify-types.js';
import { errorFacts, errorMessage } from '../../src/budget/error-facts.js';

class RateLimitError extends Error {
  readonly status = 429;
  readonly headers = new Headers({ 'Retry-After': '3' });
  readonly error = { type: 'tokens', code: 'rate_limit_exceeded' };
}

function withCause(message: string, cause: unknown, code?: string): Error {
  return Object.assign(new TypeError(message, { cause }), code === undefined ? {} : { code });
}

function cyclic(): Error {
  const inner = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  const outer = new TypeError('fetch failed', { cause: inner });
  inner.cause = outer;
  return outer;
}

function throwing(): object {
  return {
    get status(): number {
      throw new Error('no status for you');
    },
    get message(): string {
      throw new Error('no message either');
    },
    code: 'ETIMEDOUT',
  };
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** [claim, what is thrown, class, retryAfterMs] */
const thrown: readonly (readonly [string, unknown, ErrorClass, number | null])[] = [
  ['undefined (sindresorhus/p-retry#14)', undefined, 'unknown', null],
  ['null (connor4312/cockatiel#97)', null, 'unknown', null],
  ['a string (sindresorhus/p-retry#18)', 'x', 'unknown', null],
  ['a string that says more', 'Too many requests', 'rate-limit', null],
  ['a number', 429, 'unknown', null],
  ['a frozen error', Object.freeze(Object.assign(new Error('x'), { status: 503 })), 'server', null],
  ['getters that throw', throwing(), 'timeout', null],
  ['a revoked proxy', revoked(), 'unknown', null],
  ['cyclic causes', cyclic(), 'network', null],
  ['an SDK error named by its class', new RateLimitError('slow'), 'rate-limit', 3000],
  [
    'a failed fetch with a cause',
    withCause('fetch failed', Object.assign(new Error('x'), { code: 'ECONNREFUSED' })),
    'network',
    null,
  ],
  [
    'an AggregateError of refused connections',
    withCause(
      'fetch failed',
      new AggregateError([Object.assign(new Error('a'), { code: 'ECONNREFUSED' })], 'all failed'),
    ),
    'network',
    null,
  ],
  [
    'an APICallError of the AI SDK',
    Object.assign(new Error('Failed'), {
      name: 'AI_APICallError',
      statusCode: 429,
      responseHeaders: { 'retry-after-ms': '250' },
      responseBody: '{"error":{"code":"rate_limit_exceeded"}}',
      requestBodyValues: { messages: ['context window exceeded insufficient_quota'] },
      isRetryable: true,
    }),
    'rate-limit',
    250,
  ],
  [
    'a RetryError of the AI SDK',
    Object.assign(new Error('Failed after 3 attempts'), {
      name: 'AI_RetryError',
      lastError: Object.assign(new Error('x'), {
        statusCode: 429,
        responseHeaders: { 'retry-after': '9' },
      }),
    }),
    'rate-limit',
    9000,
  ],
  [
    'an error of axios',
    Object.assign(new Error('Request failed with status code 429'), {
      code: 'ERR_BAD_REQUEST',
      response: { status: 429, headers: { 'Retry-After': '4' }, data: { error: { code: 'x' } } },
    }),
    'rate-limit',
    4000,
  ],
  [
    'an error of axios with a quota in its data',
    Object.assign(new Error('Request failed'), {
      response: { status: 429, data: { error: { code: 'insufficient_quota' } } },
    }),
    'quota',
    null,
  ],
  [
    'an error of AWS',
    Object.assign(new Error('The security token is expired'), {
      name: 'ExpiredTokenException',
      $metadata: { httpStatusCode: 403 },
    }),
    'auth',
    null,
  ],
  ['an abort of an own timer', new DOMException('timed out', 'TimeoutError'), 'timeout', null],
  ['a bug', new TypeError("Cannot read properties of undefined (reading 'x')"), 'unknown', null],
  ['a plain answer', { status: 404, body: 'Not Found' }, 'not-found', null],
];

describe('errorFacts', () => {
  for (const [claim, value, errorClass, retryAfterMs] of thrown) {
    it(`lets classify see ${claim}`, () => {
      const verdict = classify({ error: errorFacts(value) });
      assert.deepEqual([verdict.class, verdict.retryAfterMs], [errorClass, retryAfterMs]);
    });
  }

  it('carries the word of a tool that forbids a retry', () => {
    for (const value of [
      { success: false, retryable: false },
      Object.assign(new Error('x'), { status: 503, retryable: false }),
      Object.assign(new Error('x'), { status: 503, body: { retryable: false } }),
      new Error('x', { cause: { status: 503, result: { retryable: false } } }),
      Object.assign(new Error('x'), { status: 503, nonRetryable: true }),
    ]) {
      assert.equal(classify({ error: errorFacts(value) }).retryable, false);
    }
  });

  it('leaves prompts, requests and stacks behind', () => {
    const error = Object.assign(new Error('x'), {
      config: { headers: { authorization: 'secret' } },
      request: { body: 'secret' },
      requestBodyValues: { prompt: 'secret' },
      response: { status: 500, data: {}, config: 'secret', request: 'secret' },
    });
    const facts = JSON.stringify(errorFacts(error));
    assert.ok(!facts.includes('secret') && !facts.includes(' at '), facts);
  });

  it('gives plain JSON of bounded size and changes nothing, whatever is thrown', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withMap: true }), (value) => {
        const frozen = Object.freeze(value);
        const facts = errorFacts(frozen);
        assert.deepEqual(JSON.parse(JSON.stringify(facts)), facts);
        assert.ok(errorMessage(frozen).length <= 300);
      }),
    );
  });

  it('does not grow with what hangs on an error', () => {
    const bulk = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`k${index}`, 'x'.repeat(50_000)]),
    );
    assert.ok(JSON.stringify(errorFacts(Object.assign(new Error('x'), { bulk }))).length < 800_000);
  });
});

describe('errorMessage', () => {
  const rows: readonly (readonly [string, unknown, string])[] = [
    ['says the message', new Error('boom'), 'boom'],
    ['says a string', 'boom', 'boom'],
    ['says that nothing was thrown', undefined, 'nothing but undefined was thrown'],
    ['says the nested message', { error: { message: 'inner' } }, 'inner'],
    ['says the fields where there is no message', { a: 1 }, '{"a":1}'],
    ['keeps to one line', new Error('a\n\tb'), 'a b'],
    ['says the name where the message is empty', new RangeError(''), 'RangeError'],
    ['blacks out a key', new Error('bad key sk-abcdefghijkl'), 'bad key [redacted]'],
    ['blacks out a bearer', new Error('Bearer abcdefghijkl refused'), 'Bearer [redacted] refused'],
    [
      'blacks out a password in an address',
      new Error('postgres://me:pw@host/db'),
      'postgres://[redacted]@host/db',
    ],
    ['survives a getter that throws', throwing(), '{"code":"ETIMEDOUT"}'],
    ['survives a revoked proxy', revoked(), 'an unreadable value was thrown'],
  ];
  for (const [claim, value, expected] of rows) {
    it(claim, () => {
      assert.equal(errorMessage(value), expected);
    });
  }

  it('cuts a long message', () => {
    assert.equal(errorMessage('x'.repeat(5000)).length, 300);
  });
});
