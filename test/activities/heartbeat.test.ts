import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { activityInfo, Context, heartbeat } from '@temporalio/activity';
import { defaultPayloadConverter } from '@temporalio/common';
import { currentAttempt } from '../../src/activities/attempt-context.js';
import type { HeartbeatDetail } from '../../src/contract/call-header.js';
import {
  answeredAttempt,
  failedAttempt,
  makeAttempt,
  startAttempt,
  statusError,
} from './attempts.js';

const sums = { failed: 'fn', tokensWasted: 30, ambiguous: false };
const details = (): unknown => activityInfo().heartbeatDetails;

/** Takes heartbeat details over the wire to the next attempt. */
function overTheWire(heartbeats: readonly unknown[]): unknown {
  return defaultPayloadConverter.fromPayload(defaultPayloadConverter.toPayload(heartbeats.at(-1)));
}

describe('the heartbeat of an attempt', () => {
  it('carries the user’s details beside the sums', async () => {
    const { heartbeats } = await makeAttempt(() => heartbeat({ page: 7 }), {
      header: { before: sums },
    });
    assert.deepEqual(heartbeats, [{ $holdfast: sums, user: { page: 7 } }]);
  });

  it('carries tokens that were used so far: if the worker is lost they are wasted', async () => {
    const work = (): void => {
      currentAttempt()?.addUsage({ tokens: 12, costMicros: 0 });
      heartbeat();
    };
    const { heartbeats } = await makeAttempt(work, { header: { before: sums } });
    assert.deepEqual(heartbeats, [{ $holdfast: { ...sums, tokensWasted: 42 }, user: undefined }]);
  });

  it('is sent before a failure that is retried, with the user’s last details', async () => {
    const { heartbeats } = await makeAttempt(() => {
      heartbeat('page 3');
      currentAttempt()?.addUsage({ tokens: 5, costMicros: 0 });
      throw statusError(500);
    });
    const last = heartbeats.at(-1) as HeartbeatDetail; // the interceptor's own shape
    assert.equal(last.$holdfast.failed, 'f');
    assert.equal(last.$holdfast.tokensWasted, 5);
    assert.equal(last.user, 'page 3');
  });

  it('is not sent before a failure that ends the call: that carries its sums itself', async () => {
    const { heartbeats } = await makeAttempt(() => {
      throw statusError(400);
    });
    assert.deepEqual(heartbeats, []);
  });

  it('is not sent by a short attempt that is answered', async () => {
    assert.deepEqual((await makeAttempt(() => 1)).heartbeats, []);
  });

  it('is sent by itself in an attempt that lasts', async () => {
    const lasting: { heard: () => void } = { heard: () => {} };
    const attempt = startAttempt(
      () =>
        new Promise<void>((resolve) => {
          lasting.heard = resolve;
        }),
      { info: { heartbeatTimeoutMs: 60 }, header: { before: sums } },
    );
    await once(attempt.environment, 'heartbeat');
    lasting.heard();
    assert.equal((await attempt.ended).kind, 'answered');
    assert.deepEqual(attempt.heartbeats[0], { $holdfast: sums, user: undefined });
  });

  it('is left to a plain activity, whose own silence may mean something', async () => {
    const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));
    const options = { info: { heartbeatTimeoutMs: 30 }, header: { adopted: true } };
    assert.deepEqual((await makeAttempt(wait, options)).heartbeats, []);
  });
});

describe('the attempt after a heartbeat', () => {
  const info = { heartbeatDetails: { $holdfast: sums, user: { page: 7 } } };

  it('resumes from the user’s details and sees nothing else', async () => {
    assert.deepEqual((await answeredAttempt(details, { info })).value, { page: 7 });
    const own = await answeredAttempt(() => Context.current().info.heartbeatDetails, { info });
    assert.deepEqual(own.value, { page: 7 });
  });

  it('goes on counting where the attempts before it ended', async () => {
    const envelope = await answeredAttempt(() => currentAttempt()?.attempt, { info });
    assert.equal(envelope.value, 3);
    assert.deepEqual(envelope.sums, sums);
  });

  it('keeps the user’s details where it fails before its own heartbeat', async () => {
    const { heartbeats } = await makeAttempt(
      () => {
        throw statusError(500);
      },
      { info, header: { share: 9 } },
    );
    const last = heartbeats.at(-1) as HeartbeatDetail; // the interceptor's own shape
    assert.deepEqual(last.user, { page: 7 });
    assert.equal(last.$holdfast.failed, 'fnf');
  });

  it('never counts by the number that Temporal gives, which a reset restarts', async () => {
    const options = { info: { ...info, attempt: 1 } };
    assert.equal((await answeredAttempt(() => currentAttempt()?.attempt, options)).value, 3);
  });

  it('takes details that an ungoverned attempt left', async () => {
    for (const left of ['page 3', { $holdfast: 1 }, [1], null, 0]) {
      const options = { info: { heartbeatDetails: left }, header: { before: sums } };
      const envelope = await answeredAttempt(details, options);
      assert.deepEqual(envelope.value, left);
      assert.deepEqual(envelope.sums, sums);
    }
  });

  it('gets back the bytes that were heartbeated', async () => {
    const bytes = new Uint8Array([0, 255, 7]);
    const { heartbeats } = await makeAttempt(() => heartbeat(bytes));
    let resumed: unknown;
    await answeredAttempt(
      () => {
        resumed = details();
      },
      { info: { heartbeatDetails: overTheWire(heartbeats) } },
    );
    assert.ok(resumed instanceof Uint8Array);
    assert.deepEqual([...resumed], [0, 255, 7]);
  });

  it('gets its own details only where the call has no header', async () => {
    const { end } = await makeAttempt(details, { info, header: null });
    assert.deepEqual(end, { kind: 'answered', value: info.heartbeatDetails });
  });
});

describe('the tokens of an attempt', () => {
  const spend =
    (...tokens: readonly number[]) =>
    (): void => {
      for (const used of tokens) currentAttempt()?.addUsage({ tokens: used, costMicros: 0 });
    };

  it('are useful where it is answered and wasted where it fails', async () => {
    assert.equal((await answeredAttempt(spend(10, 5))).tokens, 15);
    const { detail } = await failedAttempt(() => {
      spend(10, 5)();
      throw statusError(500);
    });
    assert.equal(detail.sums.tokensWasted, 15);
  });

  it('are not spoilt by a usage that a model left out', async () => {
    assert.equal(
      (await answeredAttempt(spend(10, Number.NaN, -3, Number.POSITIVE_INFINITY))).tokens,
      10,
    );
  });

  it('stop the retries once they reach the budget', async () => {
    const { failure, detail } = await failedAttempt(
      () => {
        spend(70)();
        throw statusError(500);
      },
      { header: { tokensLeft: 100, before: sums, share: 9 } },
    );
    assert.equal(detail.stop, 'token-budget');
    assert.equal(failure.nonRetryable, true);
  });
});
