import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type AttemptEnd, attemptEnds } from '../../src/budget/attempt-ends.js';
import { classify } from '../../src/budget/classify.js';
import { isAmbiguous, provenUnsent } from '../../src/budget/classify-ambiguity.js';
import type { ErrorFacts } from '../../src/budget/classify-types.js';
import { errorFacts } from '../../src/budget/error-facts.js';
import { projectFile } from '../support/root.js';

type Row = readonly [ends: readonly AttemptEnd[], ...columns: readonly string[]];

/** The table of the specification: workflow breaker, worker breaker, ratio window, plan's share, tokens, claim. */
const table: readonly Row[] = [
  [['success'], 'success', 'success', 'call', 'none', 'useful', 'stored'],
  [
    ['server', 'network', 'overloaded'],
    ...['failure', 'failure', 'call', 'one-if-retried', 'wasted', 'unknown'],
  ],
  [['timeout'], 'failure', 'failure', 'call', 'one-if-retried', 'estimate', 'unknown'],
  [['rate-limit'], 'neutral', 'neutral', 'call', 'one-if-retried', 'none', 'released'],
  [['quota'], 'failure', 'failure', 'call', 'none', 'none', 'released'],
  [['conflict'], 'neutral', 'neutral', 'call', 'one-if-retried', 'wasted', 'released'],
  [['unknown'], 'failure', 'failure', 'call', 'none', 'wasted', 'unknown'],
  [
    ['auth', 'invalid-request', 'not-found', 'context-length', 'content-filter', 'validation'],
    ...['neutral', 'neutral', 'call', 'one-if-retried', 'wasted', 'released'],
  ],
  [['cancelled'], 'neutral', 'neutral', 'nothing', 'none', 'wasted', 'unknown'],
  [['wait-claim'], 'neutral', 'neutral', 'nothing', 'none', 'none', 'none'],
  [['wait-limiter'], 'neutral', 'neutral', 'nothing', 'none', 'none', 'released'],
  [['interrupted'], 'neutral', 'neutral', 'nothing', 'none', 'as-known', 'unknown'],
  [['refused'], 'nothing', 'nothing', 'nothing', 'none', 'none', 'none'],
  [['replayed'], 'nothing', 'nothing', 'nothing', 'none', 'none', 'none'],
  [['not-started'], 'neutral', 'neutral', 'nothing', 'none', 'none', 'none'],
];

describe('attemptEnds', () => {
  for (const [ends, ...columns] of table) {
    it(`says ${columns.join(', ')} of ${ends.join(', ')}`, () => {
      for (const end of ends) {
        const { workflowBreaker, workerBreaker, ratioWindow, planShare, tokens, ledgerClaim } =
          attemptEnds[end];
        assert.deepEqual(
          [workflowBreaker, workerBreaker, ratioWindow, planShare, tokens, ledgerClaim],
          columns,
        );
      }
    });
  }

  it('has no end that the specification does not name', () => {
    const named = table.flatMap(([ends]) => ends);
    assert.deepEqual(Object.keys(attemptEnds).sort(), [...named].sort());
  });
});

function system(code: string, rest: object = {}): Error {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error(code), { code, ...rest }),
  });
}

describe('provenUnsent', () => {
  const rows: readonly (readonly [string, unknown, boolean])[] = [
    ['a refused connection', system('ECONNREFUSED'), true],
    ['a name that does not resolve', system('ENOTFOUND', { syscall: 'getaddrinfo' }), true],
    ['a name server that is busy', system('EAI_AGAIN'), true],
    ['a connect that timed out', system('UND_ERR_CONNECT_TIMEOUT'), true],
    ['a connect that timed out in the kernel', system('ETIMEDOUT', { syscall: 'connect' }), true],
    ['a refusal seen by Bun', Object.assign(new Error('x'), { code: 'ConnectionRefused' }), true],
    [
      'addresses that all refused',
      new AggregateError([system('ECONNREFUSED'), system('ETIMEDOUT', { syscall: 'connect' })]),
      true,
    ],
    [
      'a stream that HTTP/2 refused',
      Object.assign(new Error('Stream closed with error code NGHTTP2_REFUSED_STREAM'), {
        code: 'ERR_HTTP2_STREAM_ERROR',
      }),
      true,
    ],
    ['a reset', system('ECONNRESET'), false],
    ['a timeout of a read', system('ETIMEDOUT', { syscall: 'read' }), false],
    ['headers that did not come', system('UND_ERR_HEADERS_TIMEOUT'), false],
    ['a socket that closed', system('UND_ERR_SOCKET'), false],
    [
      'one refused address among others',
      new AggregateError([system('ECONNREFUSED'), system('ECONNRESET')]),
      false,
    ],
    ['a refusal behind an answer', Object.assign(system('ECONNREFUSED'), { status: 502 }), false],
    ['a refusal that a server speaks of', { status: 200, body: { code: 'ECONNREFUSED' } }, false],
    ['a failed fetch without a cause', new TypeError('fetch failed'), false],
    ['nothing', undefined, false],
  ];
  for (const [claim, thrown, expected] of rows) {
    it(`${expected ? 'takes' : 'does not take'} ${claim} for a proof`, () => {
      assert.equal(provenUnsent(errorFacts(thrown)), expected);
    });
  }
});

describe('isAmbiguous, after a write', () => {
  function judged(error: Partial<ErrorFacts>, localAborted = false): boolean {
    return isAmbiguous(classify({ error, localAborted }), error);
  }

  for (const status of [400, 401, 403, 404, 413, 422, 429]) {
    it(`is sure after a ${status}`, () => {
      assert.equal(judged({ status }), false);
    });
  }

  for (const status of [408, 500, 502, 503, 504, 520, 522, 524, 529, 599]) {
    it(`is not sure after a ${status}`, () => {
      assert.equal(judged({ status }), true);
    });
  }

  it('is sure after an overload that came as a 429', () => {
    assert.equal(judged({ status: 429, body: { message: 'overloaded' } }), false);
  });

  it('is sure after a refused connection and not sure after a reset', () => {
    assert.equal(judged(errorFacts(system('ECONNREFUSED'))), false);
    assert.equal(judged(errorFacts(system('ECONNRESET'))), true);
  });

  it('is not sure after a cancellation, a bug or nothing known', () => {
    assert.equal(judged({ name: 'AbortError' }, true), true);
    assert.equal(judged({ name: 'TypeError' }), true);
    assert.equal(judged({}), true);
  });

  it('is never sure and unsent at odds over the public reports', () => {
    const lines = readFileSync(projectFile('test', 'vectors', 'errors.jsonl'), 'utf8').split('\n');
    for (const line of lines.filter((each) => each.trim() !== '')) {
      const row = JSON.parse(line) as { readonly error: ErrorFacts }; // rows of the handed form
      if (!provenUnsent(row.error)) continue;
      assert.equal(isAmbiguous(classify(row), row.error), false, line);
    }
  });
});
