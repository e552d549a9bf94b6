import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CompleteAsyncError } from '@temporalio/activity';
import {
  ActivityFailure,
  ApplicationFailure,
  ApplicationFailureCategory,
} from '@temporalio/common';
import { answeredAttempt, failedAttempt, makeAttempt, statusError } from './attempts.js';

const cyclic = statusError(503);
cyclic.cause = Object.assign(new Error('inner'), { cause: cyclic });

const hidden = new Error('hidden');
Object.defineProperty(hidden, 'message', {
  get: () => {
    throw new Error('unreadable');
  },
});

const thrower = (value: unknown) => (): never => {
  throw value;
};

const odd: readonly (readonly [string, unknown, RegExp])[] = [
  ['a text', 'it broke', /^it broke$/],
  ['undefined', undefined, /undefined was thrown/],
  ['null', null, /null was thrown/],
  ['a symbol', Symbol('broken'), /broken/],
  ['a number', 7, /^7$/],
  ['a bigint', 7n, /^7$/],
  ['a function', () => 1, /1/],
  ['an object', { detail: 'it broke' }, /it broke/],
  ['an object without a prototype', Object.create(null), /./],
  ['an error whose causes run in a circle', cyclic, /scripted 503/],
  ['an error that is frozen', Object.freeze(statusError(503)), /scripted 503/],
  ['an error whose message throws', hidden, /./],
  [
    'an error that is its own cause',
    Object.assign(new Error('self'), {
      get cause() {
        return this;
      },
    }),
    /self/,
  ],
];

describe('a thrown value', () => {
  for (const [name, value, message] of odd) {
    for (const adopted of [false, true]) {
      const door = adopted ? 'a plain activity' : 'a tool';
      it(`becomes a failure that the wire carries: ${name}, by ${door}`, async () => {
        const { failure, detail } = await failedAttempt(thrower(value), { header: { adopted } });
        assert.match(failure.message, message);
        assert.equal(detail.$holdfast, 1);
        assert.equal(detail.sums.failed.length, 1);
      });
    }
  }

  it('is never changed', async () => {
    const error = statusError(503);
    const before = Object.getOwnPropertyNames(error);
    await failedAttempt(thrower(error));
    assert.deepEqual(Object.getOwnPropertyNames(error), before);
  });

  it('keeps its frames and its causes for whoever looks into it', async () => {
    const error = new Error('outer', { cause: new Error('inner') });
    const { failure } = await failedAttempt(thrower(error));
    assert.equal(failure.cause?.message, 'outer');
    assert.match(String(failure.cause?.stack), /at .*thrown-values/);
    // The converter rebuilds causes as errors.
    assert.equal((failure.cause?.cause as Error | undefined)?.message, 'inner');
  });

  it('shows keys and passwords nowhere in its failure', async () => {
    const url = 'https://shop.example/orders?api_key=abcd1234';
    const error = new Error(`GET ${url}`, { cause: new Error('Bearer abcdefghijkl') });
    const { failure } = await failedAttempt(thrower(error));
    const shown = [failure, failure.cause, failure.cause?.cause as Error | undefined]
      .map((one) => `${one?.message} ${one?.stack}`)
      .join('\n');
    assert.doesNotMatch(shown, /abcd1234|abcdefghijkl/);
  });

  it('passes as it is where the activity completes later', async () => {
    const { end } = await makeAttempt(thrower(new CompleteAsyncError()));
    assert.ok(end.kind === 'failed' && end.error instanceof CompleteAsyncError);
  });
});

describe('the failure of a tool', () => {
  it('has its class as its type and says the verdict in its details', async () => {
    const { failure, detail } = await failedAttempt(thrower(statusError(429)));
    assert.equal(failure.type, 'rate-limit');
    assert.equal(failure.nonRetryable, false);
    assert.deepEqual(
      { ...detail, sums: { ...detail.sums, delayMs: 0 } },
      {
        $holdfast: 1,
        sums: { failed: 'n', tokensWasted: 0, ambiguous: false, delayMs: 0 },
        class: 'rate-limit',
        fallback: false,
        retryable: true,
        retryAfterMs: null,
        stop: null,
      },
    );
  });

  it('carries its wait, whole milliseconds and at least one', async () => {
    const header = { backoff: { baseMs: 1, capMs: 1, jitter: 'full' } } as const;
    const { failure } = await failedAttempt(thrower(statusError(500)), { header });
    assert.equal(failure.nextRetryDelay, 1);
  });

  it('carries no wait and can’t be retried where there is no further attempt', async () => {
    const { failure } = await failedAttempt(thrower(statusError(500)), { header: { share: 0 } });
    assert.equal(failure.nonRetryable, true);
    assert.ok(!failure.nextRetryDelay);
  });

  it('keeps the details of the tool’s own failure before ours', async () => {
    const own = ApplicationFailure.create({ message: 'no', details: [{ orderId: 'a' }, 2] });
    const { failure } = await failedAttempt(thrower(own));
    assert.deepEqual(failure.details?.slice(0, 2), [{ orderId: 'a' }, 2]);
    assert.equal(failure.details?.length, 3);
  });
});

describe('the failure of a plain activity', () => {
  const header = { adopted: true };

  it('keeps type, message, stack and cause as Temporal would have sent them', async () => {
    const error = new RangeError('line one\n  line two', { cause: new Error('inner') });
    const { failure } = await failedAttempt(thrower(error), { header });
    assert.equal(failure.type, 'RangeError');
    assert.equal(failure.message, 'line one\n  line two');
    assert.match(String(failure.stack), /at .*thrown-values/);
    assert.equal(failure.cause?.message, 'inner');
  });

  it('keeps all that its own failure says', async () => {
    const own = ApplicationFailure.create({
      message: 'card declined',
      type: 'CardDeclined',
      nonRetryable: true,
      details: ['a'],
      category: ApplicationFailureCategory.BENIGN,
      cause: new Error('inner'),
    });
    const { failure } = await failedAttempt(thrower(own), { header });
    const { message, type, nonRetryable, category, details, cause } = failure;
    assert.deepEqual(
      { message, type, nonRetryable, category, first: details?.[0], cause: cause?.message },
      {
        message: 'card declined',
        type: 'CardDeclined',
        nonRetryable: true,
        category: ApplicationFailureCategory.BENIGN,
        first: 'a',
        cause: 'inner',
      },
    );
  });

  it('waits at least as long as its own failure asks', async () => {
    const own = ApplicationFailure.create({ message: 'later', nextRetryDelay: '9 s' });
    const { failure } = await failedAttempt(thrower(own), { header });
    assert.ok(Number(failure.nextRetryDelay) >= 9_000);
  });

  it('keeps another activity’s failure as its cause', async () => {
    const inner = new ActivityFailure('inner', 'pay', '1', 'TIMEOUT', 'worker');
    const own = ApplicationFailure.create({ message: 'outer', cause: inner });
    const { failure } = await failedAttempt(thrower(own), { header });
    assert.ok(failure.cause instanceof ActivityFailure);
  });
});

describe('an observed attempt', () => {
  const header = { mode: 'observe' } as const;

  it('fails as it would have failed, with the verdict that wasn’t carried out', async () => {
    const own = ApplicationFailure.create({ message: 'no', type: 'Odd', nextRetryDelay: 70 });
    const { failure, detail } = await failedAttempt(thrower(own), { header });
    assert.deepEqual(
      [failure.type, failure.nonRetryable, failure.nextRetryDelay],
      ['Odd', false, 70],
    );
    assert.equal(detail.class, 'unknown');
  });

  it('can be retried where the verdict is a stop', async () => {
    const { failure, detail } = await failedAttempt(thrower(statusError(400)), { header });
    assert.equal(failure.nonRetryable, false);
    assert.equal(failure.type, 'Error');
    assert.equal(detail.retryable, false);
  });
});

describe('the result of an attempt', () => {
  it('goes in an envelope with what the attempts did', async () => {
    const before = { failed: 'fn', tokensWasted: 9, ambiguous: false };
    assert.deepEqual(await answeredAttempt(() => ({ a: 1 }), { header: { before } }), {
      $holdfast: 1,
      value: { a: 1 },
      sums: before,
    });
  });

  const plain: readonly unknown[] = [
    null,
    0,
    '',
    false,
    [],
    [1],
    {},
    { $holdfast: 1, value: 'mine' },
  ];
  for (const value of plain) {
    it(`comes out as it went in: ${JSON.stringify(value)}`, async () => {
      assert.deepEqual((await answeredAttempt(() => value)).value, value);
    });
  }

  it('may be nothing', async () => {
    const envelope = await answeredAttempt(() => undefined);
    assert.equal(envelope.$holdfast, 1);
    assert.equal(envelope.value, undefined);
  });

  const bare: readonly unknown[] = [new Uint8Array([1, 2]), new Date(0), new Map([[1, 2]]), 7n];
  for (const value of bare) {
    it(`goes bare where JSON can’t carry it: ${Object.prototype.toString.call(value)}`, async () => {
      const { end } = await makeAttempt(() => value);
      assert.ok(end.kind === 'answered' && end.value === value);
    });
  }

  it('goes bare where the call has no header', async () => {
    const { end } = await makeAttempt(() => ({ a: 1 }), { header: null });
    assert.deepEqual(end, { kind: 'answered', value: { a: 1 } });
  });

  it('is a plain failure where the call has no header', async () => {
    const error = new Error('plain');
    const { end } = await makeAttempt(thrower(error), { header: null });
    assert.deepEqual(end, { kind: 'failed', error });
  });
});
