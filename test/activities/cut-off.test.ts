import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cancellationSignal } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { currentAttempt } from '../../src/activities/attempt-context.js';
import { attemptBudgetMs, startDeadline } from '../../src/activities/deadline.js';
import type { FailureDetail } from '../../src/contract/call-header.js';
import { answeredAttempt, failedAttempt, readFailure, startAttempt } from './attempts.js';

const never = (): Promise<never> => new Promise(() => {});
const noAbort = new AbortController().signal;

describe('the time of an attempt', () => {
  const budgets: readonly (readonly [number, number])[] = [
    [10_000, 9_500],
    [1_000, 950],
    [100, 80],
    [90_000, 89_500],
    [10, 1],
    [0, 1],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ];
  for (const [timeoutMs, expected] of budgets) {
    it(`is ${expected} ms of a timeout of ${timeoutMs} ms`, () => {
      assert.equal(attemptBudgetMs(timeoutMs), expected);
    });
  }

  it('may be longer than a timer can wait', async () => {
    const deadline = startDeadline(2_147_483_648, noAbort);
    const first = await Promise.race([
      deadline.passed.catch(() => 'passed'),
      new Promise((resolve) => setTimeout(resolve, 20, 'still running')),
    ]);
    deadline.stop();
    assert.equal(first, 'still running');
  });
});

describe('an attempt that hangs', () => {
  const info = { startToCloseTimeoutMs: 100 };
  const backoff = { baseMs: 3_000, capMs: 3_000, jitter: 'none' } as const;

  it('is given up as a timeout just short of Temporal’s, though it ignores its signal', async () => {
    const { failure, detail } = await failedAttempt(never, { info });
    assert.equal(detail.class, 'timeout');
    assert.equal(detail.retryable, true);
    assert.match(failure.message, /80 ms/);
  });

  it('hears of it by its signal', async () => {
    let reason: unknown;
    await failedAttempt(
      () => {
        const signal = currentAttempt()?.signal;
        signal?.addEventListener('abort', () => {
          reason = signal.reason;
        });
        return never();
      },
      { info },
    );
    assert.ok(reason instanceof Error);
    assert.equal(reason.name, 'TimeoutError');
  });

  it('is given up at the task’s deadline where that comes first', async () => {
    const { detail } = await failedAttempt(never, { header: { timeLeftMs: 60, backoff } });
    assert.equal(detail.class, 'timeout');
    assert.equal(detail.stop, 'deadline');
  });

  it('has less time where earlier attempts used it, by the server’s clock', async () => {
    const at = { scheduledTimestampMs: 1_000, currentAttemptScheduledTimestampMs: 60_900 };
    const { detail } = await failedAttempt(never, {
      info: at,
      header: { timeLeftMs: 60_000, backoff },
    });
    assert.equal(detail.stop, 'deadline');
  });

  it('is told how much time is left', async () => {
    const { value } = await answeredAttempt(() => currentAttempt()?.timeLeftMs());
    assert.ok(Number(value) > 0 && Number(value) <= 9_500);
  });

  it('is left alone while it is only observed', async () => {
    const header = { mode: 'observe', timeLeftMs: 1 } as const;
    const wait = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 40, 'done'));
    assert.equal((await answeredAttempt(wait, { header })).value, 'done');
  });

  it('leaves no unhandled rejection where it fails after it was given up', async () => {
    let fail: (error: Error) => void = () => {};
    const late = new Promise<never>((_, reject) => {
      fail = reject;
    });
    await failedAttempt(() => late, { info });
    fail(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('a cancelled attempt', () => {
  it('ends as cancelled with its sums, though it ignores its signal', async () => {
    const before = { failed: 'f', tokensWasted: 5, ambiguous: false };
    const attempt = startAttempt(never, { header: { before } });
    attempt.environment.cancel();
    const end = await attempt.ended;
    assert.ok(end.kind === 'failed' && end.error instanceof CancelledFailure);
    const detail = end.error.details?.at(-1) as FailureDetail; // the interceptor's own shape
    assert.deepEqual(detail.sums, before);
  });

  it('ends as cancelled whatever its code throws then', async () => {
    const attempt = startAttempt(
      () =>
        new Promise((_, reject) => {
          cancellationSignal().addEventListener('abort', () => reject(new Error('in the way')));
        }),
    );
    attempt.environment.cancel();
    const end = await attempt.ended;
    assert.ok(end.kind === 'failed' && end.error instanceof CancelledFailure);
  });

  const cleanUp = (): Promise<unknown> =>
    new Promise((resolve) => {
      cancellationSignal().addEventListener('abort', () => setTimeout(resolve, 20, 'cleaned up'));
    });

  for (const header of [{ adopted: true }, { mode: 'observe' }] as const) {
    it(`may clean up as without holdfast: ${JSON.stringify(header)}`, async () => {
      const attempt = startAttempt(cleanUp, { header });
      attempt.environment.cancel();
      const end = await attempt.ended;
      assert.ok(end.kind === 'answered');
      assert.equal((end.value as { value: unknown }).value, 'cleaned up');
    });
  }

  it('that is plain and ignores its signal still ends at its deadline', async () => {
    const info = { startToCloseTimeoutMs: 100 };
    const attempt = startAttempt(never, { header: { adopted: true }, info });
    attempt.environment.cancel();
    const end = await attempt.ended;
    assert.ok(end.kind === 'failed' && end.error instanceof CancelledFailure);
  });

  it('keeps a fault of its own where it is only observed', async () => {
    const attempt = startAttempt(
      () =>
        new Promise((_, reject) => {
          cancellationSignal().addEventListener('abort', () => reject(new RangeError('own')));
        }),
      { header: { mode: 'observe' } },
    );
    attempt.environment.cancel();
    const end = await attempt.ended;
    assert.ok(end.kind === 'failed');
    assert.equal(readFailure(end.error).failure.type, 'RangeError');
  });
});

describe('an attempt whose worker is shut down', () => {
  it('says so, and the failure spends no attempt of the server’s', async () => {
    const before = { failed: 'fn', tokensWasted: 5, ambiguous: false };
    const attempt = startAttempt(never, { header: { before } });
    attempt.environment.cancel('WORKER_SHUTDOWN');
    const end = await attempt.ended;
    assert.ok(end.kind === 'failed');
    const { failure, detail } = readFailure(end.error);
    assert.equal(failure.type, 'holdfast.interrupted');
    assert.equal(failure.nonRetryable, true);
    assert.deepEqual(detail.sums, before);
  });

  it('may have written', async () => {
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const work = (): Promise<never> => {
      begin();
      return never();
    };
    const attempt = startAttempt(work, { header: { effect: 'write' } });
    await begun;
    attempt.environment.cancel('WORKER_SHUTDOWN');
    const end = await attempt.ended;
    assert.ok(end.kind === 'failed');
    assert.equal(readFailure(end.error).detail.sums.ambiguous, true);
  });
});
