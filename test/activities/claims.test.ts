import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { ToolImplementation } from '../../src/activities/implement-tool.js';
import { WaitError } from '../../src/activities/wait-error.js';
import type { ErrorClass } from '../../src/budget/classify-types.js';
import { noSums } from '../../src/contract/call-header.js';
import { type Ledger, LedgerUnavailableError } from '../../src/ledger/index.js';
import { answeredAttempt, failedAttempt, startAttempt } from './attempts.js';
import { type ClaimRig, keyed, openClaimRig, status, write } from './claim-rig.js';

let asHeader: ClaimRig['asHeader'];
let state: ClaimRig['state'];
let untilState: ClaimRig['untilState'];
beforeEach(async () => {
  ({ asHeader, state, untilState } = await openClaimRig());
});

describe('the claim of a write', () => {
  it('keeps the result, and the next attempt gets it without running (R5)', async () => {
    let runs = 0;
    const work = async (): Promise<object> => {
      runs += 1;
      return { refundId: 'r1' };
    };
    await answeredAttempt(work, asHeader(write));
    const again = await answeredAttempt(work, asHeader(write));
    assert.deepEqual(again.value, { refundId: 'r1' });
    assert.equal(again.replayed, true);
    assert.equal(runs, 1);
    assert.equal(await state(), 'done');
  });

  it('keeps an answer that is nothing', async () => {
    await answeredAttempt(async () => undefined, asHeader(write));
    const again = await answeredAttempt(async () => 'never', asHeader(write));
    assert.equal(again.replayed, true);
    assert.equal(again.value, undefined);
  });

  it('keeps what JSON makes of an answer, as Temporal carries it', async () => {
    class Refund {
      readonly id = 'r1';
      readonly lines = [1, undefined];
    }
    await answeredAttempt(async () => ({ refund: new Refund() }), asHeader(write));
    const again = await answeredAttempt(async () => 'never', asHeader(write));
    assert.deepEqual(again.value, { refund: { id: 'r1', lines: [1, null] } });
  });

  it('says that it has happened where its answer is bytes, which JSON would change', async () => {
    const { detail } = await failedAttempt(async () => new Uint8Array([1, 2]), asHeader(write));
    assert.equal(detail.ledger, 'happened');
    assert.equal(await state(), 'done');
  });

  it('is never asked for by a read', async () => {
    await answeredAttempt(async () => 1, asHeader({ effect: 'read' }));
    assert.equal(await state(), undefined);
  });

  it('is never asked for while the call is only observed', async () => {
    await answeredAttempt(async () => 1, asHeader({ ...write, mode: 'observe' }));
    assert.equal(await state(), undefined);
  });

  it('makes a second attempt wait while the first one works, at no cost (R4)', async () => {
    const first = startAttempt(() => new Promise(() => {}), asHeader(write));
    await untilState('claimed');
    const { failure, detail } = await failedAttempt(async () => 'never', asHeader(write));
    assert.equal(failure.type, 'holdfast.wait');
    assert.deepEqual(detail.sums, { ...noSums, ambiguous: true });
    assert.equal((detail as unknown as { what: string }).what, 'claim');
    first.environment.cancel('WORKER_SHUTDOWN');
    await first.ended;
  });

  it('is asked for again by the same attempt where the answer was lost', async () => {
    const { ledger, ...options } = asHeader(write);
    assert.ok(ledger);
    let isLost = false;
    const forgetful: Ledger = {
      ...ledger,
      claim: async (request) => {
        const answer = await ledger.claim(request);
        if (isLost) return answer;
        isLost = true;
        throw new LedgerUnavailableError('claim', new Error('Connection terminated unexpectedly'));
      },
    };
    const answer = await answeredAttempt(async () => 'sent', { ...options, ledger: forgetful });
    assert.deepEqual([answer.value, await state()], ['sent', 'done']);
  });

  it('can’t have had an effect where a fault comes before it', async () => {
    const when = (): boolean => {
      throw new Error('no such customer');
    };
    const tool = { name: 'charge', approval: { when, timeoutMs: 1 } };
    const { detail } = await failedAttempt(async () => 'never', {
      ...asHeader(write),
      info: { activityType: 'charge', startToCloseTimeoutMs: 10_000 },
      implementation: { tool } as unknown as ToolImplementation,
    });
    assert.deepEqual([detail.class, detail.sums.ambiguous], ['unknown', false]);
  });

  it('is refused to other arguments under the same key (R3)', async () => {
    await answeredAttempt(async () => 1, asHeader(write));
    const other = { ...write, fingerprint: 'e'.repeat(64) };
    const { failure, detail } = await failedAttempt(async () => 2, asHeader(other));
    assert.equal(failure.nonRetryable, true);
    assert.equal(detail.stop, 'idempotency-conflict');
    assert.match(failure.message, /idempotency-conflict/);
  });

  it('is a replay with other arguments where the tool says what makes calls equal (R3)', async () => {
    await answeredAttempt(async () => 1, asHeader({ ...write, ownIdentity: true }));
    const other = { ...write, ownIdentity: true, fingerprint: 'e'.repeat(64) };
    const again = await answeredAttempt(async () => 2, asHeader(other));
    assert.deepEqual([again.value, again.argumentsDiffer], [1, true]);
  });

  it('is not attempted by a worker without a ledger', async () => {
    let ran = false;
    const { failure } = await failedAttempt(
      async () => {
        ran = true;
      },
      { header: write, ledger: null },
    );
    assert.equal(ran, false);
    assert.match(failure.message, /no ledger/);
  });
});

describe('an attempt at a write that fails', () => {
  type Row = readonly [ErrorClass, () => unknown, 'released' | 'unknown'];
  const refused = Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' }),
  });
  const reset = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
  const unresolved = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ENOTFOUND' } });
  // Spec, section 5: the ledger's column. `released` may run again, `unknown` never blindly.
  const rows: readonly Row[] = [
    ['server', () => status(500), 'unknown'],
    ['server', () => status(503), 'unknown'],
    ['network', () => reset, 'unknown'],
    ['network', () => refused, 'released'],
    ['network', () => unresolved, 'released'],
    ['overloaded', () => status(529), 'unknown'],
    ['timeout', () => status(504), 'unknown'],
    ['rate-limit', () => status(429), 'released'],
    ['quota', () => status(402), 'released'],
    ['conflict', () => status(409), 'released'],
    ['unknown', () => new Error('something odd'), 'unknown'],
    ['auth', () => status(401), 'released'],
    ['auth', () => status(403), 'released'],
    ['invalid-request', () => status(400), 'released'],
    ['invalid-request', () => status(422), 'released'],
    ['not-found', () => status(404), 'released'],
    ['context-length', () => status(413), 'released'],
    ['content-filter', () => Object.assign(status(400), { code: 'content_filter' }), 'released'],
  ];
  for (const [kind, thrown, expected] of rows) {
    it(`leaves its claim ${expected} after ${kind}: ${String(thrown())}`, async () => {
      const work = async (): Promise<never> => {
        throw thrown();
      };
      const { detail } = await failedAttempt(work, asHeader(keyed));
      assert.equal(detail.class, kind);
      assert.equal(await state(), expected);
    });
  }

  it('leaves it unknown after its deadline', async () => {
    const info = { startToCloseTimeoutMs: 60 };
    const { detail } = await failedAttempt(() => new Promise(() => {}), {
      ...asHeader(keyed),
      info,
    });
    assert.equal(detail.class, 'timeout');
    assert.equal(await state(), 'unknown');
  });

  it('leaves it unknown when its worker shuts down in mid-flight', async () => {
    const attempt = startAttempt(() => new Promise(() => {}), asHeader(keyed));
    await untilState('claimed');
    attempt.environment.cancel('WORKER_SHUTDOWN');
    await attempt.ended;
    assert.equal(await state(), 'unknown');
  });

  it('releases it when it only had to wait: nothing was sent', async () => {
    const work = async (): Promise<never> => {
      throw new WaitError(50, 'limiter');
    };
    await failedAttempt(work, asHeader(keyed));
    assert.equal(await state(), 'released');
  });

  it('keeps it unknown where an earlier attempt may have caused the effect', async () => {
    await failedAttempt(() => Promise.reject(status(500)), asHeader(keyed));
    await failedAttempt(() => Promise.reject(status(400)), asHeader(keyed));
    assert.equal(await state(), 'unknown');
  });

  it('stores a refusal that the tool marks final, and answers it again (R5)', async () => {
    const stolen = Object.assign(status(400), { final: true });
    await failedAttempt(() => Promise.reject(stolen), asHeader(write));
    assert.equal(await state(), 'refused');
    let ran = false;
    const { failure, detail } = await failedAttempt(async () => {
      ran = true;
    }, asHeader(write));
    assert.equal(ran, false);
    assert.equal(detail.ledger, 'replayed');
    assert.equal(detail.class, 'invalid-request');
    assert.match(failure.message, /status 400/);
  });

  it('may store what it answers late, after it was given up', async () => {
    let answer: (value: string) => void = () => {};
    const late = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const info = { startToCloseTimeoutMs: 60 };
    await failedAttempt(() => late, { ...asHeader(write), info });
    assert.equal(await state(), 'unknown');
    answer('landed');
    await untilState('done');
    const again = await answeredAttempt(async () => 'never', asHeader(write));
    assert.equal(again.value, 'landed');
  });
});
