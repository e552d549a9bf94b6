import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { currentAttempt } from '../../src/activities/attempt-context.js';
import type { WaitDetail } from '../../src/contract/call-header.js';
import { LimitExceededError, LimiterUnavailableError } from '../../src/limits/limit-errors.js';
import { type GuardAnswers, openGuard } from '../support/guard-rig.js';
import { type AttemptOptions, readFailure, startAttempt, statusError } from './attempts.js';
import { openClaimRig } from './claim-rig.js';

const limits = { requestsPerMinute: 10, tokensPerMinute: 1_000 } as const;
const never = (): Promise<never> => new Promise(() => {});
const refused = Object.assign(new TypeError('fetch failed'), {
  cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
});

/** Makes one attempt under limits; its tool expects 100 tokens. */
async function attemptUnder(
  work: () => unknown,
  answers: GuardAnswers = {},
  options: AttemptOptions = {},
) {
  const rig = openGuard(answers);
  const header = { limits, ...options.header };
  const attempt = startAttempt(work, {
    guard: rig.guard,
    ...options,
    header,
    info: { activityType: 'ask', ...options.info },
    implementation: { estimateTokens: async () => 100 } as unknown as NonNullable<
      AttemptOptions['implementation']
    >, // all that the worker reads of it here
  });
  return { ...rig, attempt };
}

function uses(tokens: number, end: () => unknown = () => 'fine'): () => unknown {
  return () => {
    currentAttempt()?.addUsage({ tokens, costMicros: 0 });
    return end();
  };
}

function throws(thrown: unknown): () => never {
  return () => {
    throw thrown;
  };
}

describe('a reservation', () => {
  const rows: readonly {
    readonly name: string;
    readonly work: () => unknown;
    readonly end: readonly string[];
  }[] = [
    { name: 'is settled with what a success used', work: uses(70), end: ['settle 70'] },
    { name: 'is settled in whole tokens', work: uses(70.2), end: ['settle 71'] },
    { name: 'stays as it is where nobody says what was used', work: () => 'fine', end: [] },
    { name: 'stays after a failure', work: throws(statusError(500)), end: [] },
    {
      name: 'grows to what a failure used beyond it',
      work: uses(170, throws(statusError(500))),
      end: ['settle 170'],
    },
    {
      name: 'stays where a failure used less, since nobody knows for certain',
      work: uses(70, throws(statusError(500))),
      end: [],
    },
    {
      name: 'is released where the connection was refused: nothing was sent',
      work: throws(refused),
      end: ['release'],
    },
  ];
  for (const { name, work, end } of rows) {
    it(name, async () => {
      const { attempt, log } = await attemptUnder(work, {}, { header: { share: 0 } });
      await attempt.ended;
      assert.deepEqual(log, ['admit 100', 'call', ...end]);
    });
  }

  it('is asked for by downstream and tenant, with what the policy says', async () => {
    const header = { tenant: 'one', ticket: 'place 7', limits: { ...limits, pace: true } };
    const { attempt, asked } = await attemptUnder(() => 'fine', {}, { header });
    await attempt.ended;
    const [request] = asked;
    assert.deepEqual(request?.key, { downstream: 'orders', tenant: 'one' });
    assert.deepEqual(request.figures, { ...limits, pace: true });
    assert.equal(request.ticket, 'place 7');
    assert.equal(request.comesBackWithinMs, 60_000, 'the task is over then');
    assert.ok(request.maxWaitMs <= 3_000 && request.maxWaitMs > 0);
  });

  it('names its ticket once: a later attempt of the scheduling has had its place', async () => {
    const failed = { failed: 'f', tokensWasted: 0, ambiguous: false };
    const info = { heartbeatDetails: { $holdfast: failed } };
    const { attempt, asked } = await attemptUnder(
      () => 'fine',
      {},
      { header: { ticket: 'place 7' }, info },
    );
    await attempt.ended;
    assert.equal(asked[0]?.ticket, undefined);
  });

  it('never waits longer than a share of the attempt’s own time', async () => {
    const info = { startToCloseTimeoutMs: 400 };
    const { attempt, asked } = await attemptUnder(() => 'fine', {}, { info });
    await attempt.ended;
    assert.ok((asked[0]?.maxWaitMs ?? 999) <= 100);
  });

  it('counts no tokens where only requests are limited', async () => {
    const header = { limits: { requestsPerMinute: 10 } };
    const { attempt, log } = await attemptUnder(() => 'fine', {}, { header });
    await attempt.ended;
    assert.deepEqual(log, ['admit 0', 'call']);
  });

  it('is not asked for without limits', async () => {
    const { attempt, log } = await attemptUnder(() => 'fine', {}, { header: { limits: {} } });
    await attempt.ended;
    assert.deepEqual(log, ['call']);
  });
});

describe('a limiter without room', () => {
  const later = (): ReturnType<NonNullable<GuardAnswers['admit']>> =>
    Promise.resolve({ kind: 'later', waitMs: 42_000, ticket: 'place 9' });

  it('ends the attempt as a wait with its place, and sends nothing', async () => {
    const { attempt, log } = await attemptUnder(() => 'fine', { admit: later });
    const end = await attempt.ended;
    assert.ok(end.kind === 'failed');
    const { failure } = readFailure(end.error);
    const [wait] = failure.details as WaitDetail[]; // the type names the detail
    assert.equal(failure.type, 'holdfast.wait');
    assert.equal(wait?.what, 'limiter');
    assert.equal(wait.waitMs, 42_000);
    assert.equal(wait.ticket, 'place 9');
    assert.deepEqual(wait.sums, { failed: '', tokensWasted: 0, ambiguous: false });
    assert.deepEqual(log, ['admit 100']);
  });

  it('releases the claim of a write that it holds back', async () => {
    const { ledger, key } = await openClaimRig();
    const header = { effect: 'idempotent-write', key } as const;
    const { attempt } = await attemptUnder(() => 'fine', { admit: later }, { header, ledger });
    await attempt.ended;
    assert.equal((await ledger.find(key))?.state, 'released');
  });

  it('holds nothing up where the gate only looks on', async () => {
    const header = { mode: 'observe' } as const;
    const { attempt, asked } = await attemptUnder(() => 'fine', { admit: later }, { header });
    const end = await attempt.ended;
    assert.equal(end.kind, 'answered');
    assert.equal(asked[0]?.maxWaitMs, 0);
    assert.equal(asked[0]?.comesBackWithinMs, 0, 'nobody comes back for a place');
  });
});

describe('a request that no limit ever admits', () => {
  const exceeded = (): never => {
    throw new LimitExceededError('orders', 2_000, 1_000);
  };

  it('is refused for good: no attempt, no retry, no fallback', async () => {
    const { attempt, log } = await attemptUnder(() => 'fine', { admit: exceeded });
    const end = await attempt.ended;
    assert.ok(end.kind === 'failed');
    const { failure, detail } = readFailure(end.error);
    assert.equal(failure.nonRetryable, true);
    assert.equal(detail.class, 'invalid-request');
    assert.equal(detail.stop, 'limit-exceeded');
    assert.equal(detail.fallback, false);
    assert.equal(detail.sums.failed, '');
    assert.deepEqual(log, ['admit 100']);
  });

  it('releases the claim of a write', async () => {
    const { ledger, key } = await openClaimRig();
    const header = { effect: 'idempotent-write', key } as const;
    const { attempt } = await attemptUnder(() => 'fine', { admit: exceeded }, { header, ledger });
    await attempt.ended;
    assert.equal((await ledger.find(key))?.state, 'released');
  });
});

describe('a limiter that gives no answer', () => {
  it('stops no work: the attempt goes on without a limit', async () => {
    const admit = (): never => {
      throw new LimiterUnavailableError('admit', new Error('connection refused'));
    };
    const { attempt, log } = await attemptUnder(() => 'fine', { admit });
    const end = await attempt.ended;
    assert.equal(end.kind, 'answered');
    assert.deepEqual(log, ['admit 100', 'call']);
  });
});

describe('a cancellation while the limiter has no room', () => {
  const waiting: GuardAnswers['admit'] = ({ signal }) =>
    new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    });

  it('ends the wait at once, and nothing is sent', async () => {
    const { attempt, asked, log } = await attemptUnder(never, { admit: waiting });
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    attempt.environment.cancel('CANCELLED');
    const end = await attempt.ended;
    assert.ok(end.kind === 'failed');
    assert.equal((end.error as Error).name, 'CancelledFailure');
    assert.deepEqual(log, ['admit 100']);
  });

  it('releases the claim of a write that waited', async () => {
    const { ledger, key } = await openClaimRig();
    const header = { effect: 'write', key } as const;
    const { attempt, asked } = await attemptUnder(never, { admit: waiting }, { header, ledger });
    while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    attempt.environment.cancel('CANCELLED');
    await attempt.ended;
    assert.equal((await ledger.find(key))?.state, 'released');
  });

  it('is a wait, and no timeout of the downstream, where the attempt’s time runs out first', async () => {
    const info = { startToCloseTimeoutMs: 60 };
    const { attempt } = await attemptUnder(never, { admit: waiting }, { info });
    const end = await attempt.ended;
    assert.ok(end.kind === 'failed');
    assert.equal(readFailure(end.error).failure.type, 'holdfast.wait');
  });
});

describe('a full bulkhead', () => {
  it('gives the slot back as a short wait, and lets others in once a call has ended', async () => {
    const { guard } = openGuard();
    const header = { limits: { maxConcurrent: 1 } };
    let end: (value: string) => void = () => {};
    const hanging = startAttempt(
      () =>
        new Promise<string>((resolve) => {
          end = resolve;
        }),
      { guard, header },
    );
    const turnedAway = await startAttempt(() => 'fine', { guard, header }).ended;
    assert.ok(turnedAway.kind === 'failed');
    const [wait] = readFailure(turnedAway.error).failure.details as WaitDetail[];
    assert.equal(wait?.what, 'bulkhead');
    assert.ok(wait.waitMs >= 500 && wait.waitMs <= 1_500);
    const elsewhere = { ...header, downstream: 'elsewhere' };
    const other = await startAttempt(() => 'fine', { guard, header: elsewhere }).ended;
    assert.equal(other.kind, 'answered');
    end('late');
    await hanging.ended;
    const again = await startAttempt(() => 'fine', { guard, header }).ended;
    assert.equal(again.kind, 'answered');
  });

  it('asks no limiter for a call that has no place', async () => {
    const { guard, log } = openGuard();
    const header = { limits: { ...limits, maxConcurrent: 1 } };
    const hanging = startAttempt(never, { guard, header });
    while (!log.includes('call')) await new Promise((resolve) => setTimeout(resolve, 1));
    await startAttempt(() => 'fine', { guard, header }).ended;
    assert.deepEqual(log, ['admit 0', 'call']);
    hanging.environment.cancel('CANCELLED');
    await hanging.ended;
  });
});
