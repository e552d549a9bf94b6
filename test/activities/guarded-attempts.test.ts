import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CompleteAsyncError } from '@temporalio/activity';
import { WaitError } from '../../src/activities/wait-error.js';
import { attemptEnds, type AttemptEnd as End } from '../../src/budget/attempt-ends.js';
import { openSqlite } from '../../src/ledger/index.js';
import { type GuardRig, openGuard } from '../support/guard-rig.js';
import { type AttemptEnd, readFailure, startAttempt, statusError } from './attempts.js';

const row = {
  consecutiveFailureThreshold: 2,
  failurePercent: 20,
  minSamples: 1_000,
  windowMs: 60_000,
  halfOpenAfterCalls: 3,
  openForMs: 30_000,
} as const;
const never = (): Promise<never> => new Promise(() => {});

/** Makes one attempt in a way that ends it so. */
type Provoke = (guard: GuardRig['guard']) => Promise<unknown>;

function throwing(thrown: unknown): Provoke {
  return (guard) =>
    attemptAt(guard, () => {
      throw thrown;
    });
}

function attemptAt(
  guard: GuardRig['guard'],
  work: () => unknown,
  header: object = {},
): Promise<AttemptEnd> {
  return startAttempt(work, { guard, header: { workerBreaker: row, ...header } }).ended;
}

const network = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });

const provoked: Readonly<Partial<Record<End, Provoke>>> = {
  success: (guard) => attemptAt(guard, () => 'fine'),
  server: throwing(statusError(500)),
  network: throwing(network),
  overloaded: throwing(statusError(529)),
  timeout: throwing(statusError(504)),
  'rate-limit': throwing(statusError(429)),
  quota: throwing(statusError(402)),
  conflict: throwing(statusError(409)),
  unknown: throwing(new Error('something odd')),
  auth: throwing(statusError(401)),
  'invalid-request': throwing(statusError(400)),
  'not-found': throwing(statusError(404)),
  'context-length': throwing(statusError(413)),
  'content-filter': throwing(statusError(400, { code: 'content_filter' })),
  validation: (guard) => attemptAt(guard, () => 'x'.repeat(100), { maxPayloadBytes: 50 }),
  cancelled: (guard) => cutOff(guard, 'CANCELLED'),
  interrupted: (guard) => cutOff(guard, 'WORKER_SHUTDOWN'),
  'wait-claim': throwing(new WaitError(500, 'claim')),
  'wait-limiter': throwing(new WaitError(500, 'limiter')),
  replayed: async (guard) => {
    const ledger = await openSqlite({ path: ':memory:' });
    const header = { effect: 'idempotent-write', workerBreaker: row } as const;
    const idle = openGuard().guard;
    await startAttempt(() => 'paid', { guard: idle, header, ledger }).ended;
    await startAttempt(() => 'paid', { guard, header, ledger }).ended;
  },
};

/** Cuts an attempt off once its work has begun. */
async function cutOff(guard: GuardRig['guard'], reason: string): Promise<void> {
  let begun: (value: unknown) => void = () => {};
  const hasBegun = new Promise((resolve) => {
    begun = resolve;
  });
  const work = (): Promise<never> => {
    begun(true);
    return never();
  };
  const attempt = startAttempt(work, { guard, header: { workerBreaker: row } });
  await hasBegun;
  attempt.environment.cancel(reason as 'CANCELLED');
  await attempt.ended;
}

/** Makes an attempt that fails where it is let in; tells whether the breaker has rejected it. */
async function isRejected({ guard }: GuardRig): Promise<boolean> {
  const { detail } = await failureOf(attemptAt(guard, fails(500)));
  return detail.stop === 'breaker-open';
}

describe('the ends of attempts at the worker', () => {
  for (const [end, provoke] of Object.entries(provoked)) {
    const { workerBreaker, ratioWindow } = attemptEnds[end as End]; // the keys are ends
    const isSilent = workerBreaker === 'nothing' || workerBreaker === 'neutral';

    it(`tells the worker's breaker of ${end}: ${workerBreaker}`, async () => {
      // It opens at the second failure in a row: one stands before.
      const rig = openGuard();
      await throwing(statusError(500))(rig.guard);
      await provoke(rig.guard);
      const isOpen = await isRejected(rig);
      assert.equal(isOpen, workerBreaker === 'failure');
      if (isOpen) return;
      assert.equal(await isRejected(rig), isSilent);
    });

    it(`counts ${end} as ${ratioWindow} in the ratio window`, async () => {
      const { guard, log } = openGuard();
      await provoke(guard);
      const counted = log.filter((line) => line === 'call').length;
      const taken = log.filter((line) => line === 'take back').length;
      assert.equal(counted - taken, ratioWindow === 'call' ? 1 : 0);
    });
  }
});

describe('a retry at the worker', () => {
  it('is asked for last, once the share and the tokens have said yes', async () => {
    const { guard, log } = openGuard();
    const workerBreaker = { ...row, consecutiveFailureThreshold: 9 };
    await attemptAt(guard, fails(500), { workerBreaker, share: 0 });
    await attemptAt(guard, fails(500), { workerBreaker, timeLeftMs: 1 });
    await attemptAt(guard, fails(400), { workerBreaker });
    assert.deepEqual(log, ['call', 'call', 'call']);
    await attemptAt(guard, fails(500), { workerBreaker });
    assert.deepEqual(log.slice(3), ['call', 'retry']);
  });

  it('is none where the retry budget is used up, and the failure says so', async () => {
    const { guard } = openGuard({ allows: () => false });
    const { failure, detail } = await failureOf(attemptAt(guard, fails(500)));
    assert.equal(failure.nonRetryable, true);
    assert.equal(detail.stop, 'retry-budget');
    assert.equal(detail.retryable, true);
    assert.equal(detail.sums.failed, 'f');
  });

  it('goes on where the gate only looks on', async () => {
    const { guard, log } = openGuard({ allows: () => false });
    const { failure } = await failureOf(attemptAt(guard, fails(500), { mode: 'observe' }));
    assert.equal(failure.nonRetryable, false);
    assert.deepEqual(log, ['call', 'no retry']);
  });

  it('is refunded where it comes back and the breaker rejects it', async () => {
    const rig = openGuard();
    const { guard, log } = rig;
    await attemptAt(guard, fails(500));
    await startAttempt(fails(500), other(guard)).ended; // the second failure in a row
    const { detail } = await failureOf(attemptAt(guard, fails(500)));
    assert.equal(detail.stop, 'breaker-open');
    assert.deepEqual(log, ['call', 'retry', 'call', 'retry', 'refund']);
  });

  it('stands once it is sent', async () => {
    const { guard, log } = openGuard();
    await attemptAt(guard, fails(500));
    await attemptAt(guard, () => 'fine');
    assert.deepEqual(log, ['call', 'retry', 'call']);
  });

  it('is refunded where the ledger answers in its place', async () => {
    const { guard, log } = openGuard();
    const ledger = await openSqlite({ path: ':memory:' });
    const header = { effect: 'idempotent-write', workerBreaker: row } as const;
    await startAttempt(fails(503), { guard, header, ledger }).ended;
    await startAttempt(() => 'paid', { ...other(guard), header, ledger }).ended;
    await startAttempt(() => 'paid', { guard, header, ledger }).ended;
    assert.deepEqual(log, ['call', 'retry', 'call', 'refund']);
  });
});

describe('an attempt that the worker’s breaker rejects', () => {
  it('is none: it sends nothing and keeps the sums before it', async () => {
    const { guard } = openGuard({ now: () => 0 });
    await open(guard);
    let ran = 0;
    const before = { failed: 'f', tokensWasted: 5, ambiguous: false };
    const rejected = attemptAt(guard, () => ++ran, { before });
    const { failure, detail } = await failureOf(rejected);
    assert.equal(ran, 0);
    assert.equal(failure.type, 'breaker-open');
    assert.equal(failure.nonRetryable, true);
    assert.deepEqual(detail, {
      $holdfast: 1,
      sums: before,
      class: null,
      fallback: true,
      retryable: false,
      retryAfterMs: 30_000,
      stop: 'breaker-open',
    });
  });

  it('runs all the same where the gate only looks on', async () => {
    const { guard } = openGuard();
    await open(guard);
    const end = await attemptAt(guard, () => 'fine', { mode: 'observe' });
    assert.equal(end.kind, 'answered');
  });

  it('has one probe beside it for the whole worker, once the time and the rejections are over', async () => {
    let nowMs = 0;
    const { guard } = openGuard({ now: () => nowMs });
    await open(guard);
    const ask = async (): Promise<string> => {
      const end = await attemptAt(guard, () => 'fine');
      return end.kind;
    };
    assert.deepEqual(await Promise.all([ask(), ask(), ask(), ask()]), Array(4).fill('failed'));
    nowMs = 30_000;
    const ends = await Promise.all(Array.from({ length: 4 }, () => attemptAt(guard, slowly)));
    assert.deepEqual(
      ends.map(({ kind }) => kind),
      ['answered', 'failed', 'failed', 'failed'],
    );
    assert.equal(await ask(), 'answered');
  });

  it('gives the probe back where it was no answer', async () => {
    let nowMs = 0;
    const { guard } = openGuard({ now: () => nowMs });
    await open(guard);
    for (let rejected = 0; rejected < 3; rejected++) await attemptAt(guard, () => 'fine');
    nowMs = 30_000;
    await cutOff(guard, 'CANCELLED');
    const end = await attemptAt(guard, () => 'fine');
    assert.equal(end.kind, 'answered');
  });
});

describe('an attempt whose end comes by another way', () => {
  it('stays a call, and its place is free again', async () => {
    const { guard, log } = openGuard();
    const header = { limits: { maxConcurrent: 1 } };
    const silent = (): never => {
      throw new CompleteAsyncError();
    };
    await attemptAt(guard, silent, header);
    const end = await attemptAt(guard, () => 'fine', header);
    assert.equal(end.kind, 'answered');
    assert.deepEqual(log, ['call', 'call']);
  });
});

function fails(status: number): () => never {
  return () => {
    throw statusError(status);
  };
}

function slowly(): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, 20, 'fine'));
}

/** Another activity of the same worker. */
function other(guard: GuardRig['guard']) {
  return { guard, header: { workerBreaker: row }, info: { activityId: 'another' } } as const;
}

async function open(guard: GuardRig['guard']): Promise<void> {
  await attemptAt(guard, fails(500), { share: 0 });
  await attemptAt(guard, fails(500), { share: 0 });
}

async function failureOf(ended: Promise<AttemptEnd>): Promise<ReturnType<typeof readFailure>> {
  const end = await ended;
  assert.ok(end.kind === 'failed');
  return readFailure(end.error);
}

describe('a plain activity call that is governed', () => {
  it('is rejected with a failure of the type breaker-open', async () => {
    const { guard } = openGuard();
    await open(guard);
    const { failure } = await failureOf(attemptAt(guard, () => 'fine', { adopted: true }));
    assert.equal(failure.type, 'breaker-open');
    assert.equal(failure.nonRetryable, true);
  });

  it('keeps the type of its own error where no retry is allowed', async () => {
    const { guard } = openGuard({ allows: () => false });
    const thrown = Object.assign(new RangeError('too far'), { status: 503 });
    const attempt = attemptAt(
      guard,
      () => {
        throw thrown;
      },
      { adopted: true },
    );
    const { failure, detail } = await failureOf(attempt);
    assert.equal(failure.type, 'RangeError');
    assert.equal(failure.nonRetryable, true);
    assert.equal(detail.stop, 'retry-budget');
  });
});
