import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { ToolImplementation } from '../../src/activities/implement-tool.js';
import { noSums } from '../../src/contract/call-header.js';
import { fingerprint } from '../../src/contract/keys.js';
import { type Ledger, LedgerUnavailableError } from '../../src/ledger/index.js';
import {
  type AttemptOptions,
  answeredAttempt,
  failedAttempt,
  makeAttempt,
  readFailure,
  startAttempt,
} from './attempts.js';
import { type ClaimRig, openClaimRig, write } from './claim-rig.js';

let ledger: Ledger;
let key: string;
let asHeader: ClaimRig['asHeader'];
let state: ClaimRig['state'];
let untilState: ClaimRig['untilState'];
beforeEach(async () => {
  ({ ledger, key, asHeader, state, untilState } = await openClaimRig());
});

describe('a result that can’t be kept', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  for (const [name, value, rule] of [
    ['too large', 'x'.repeat(2_000), /must be at most 1000 bytes as JSON, got 2002/],
    ['a BigInt', { n: 1n }, /result\.n must be JSON, got 1n/],
    ['NaN', { list: [1, { n: Number.NaN }] }, /result\.list\.1\.n must be JSON, got NaN/],
    ['a cycle', cyclic, /result\.self must be JSON, got "a cycle"/],
    ['a map', { m: new Map([['a', 1]]) }, /result\.m must be JSON, got "a Map"/],
  ] as const) {
    it(`fails its call for good, and the effect is known to have happened: ${name} (R12)`, async () => {
      const header = { ...write, maxPayloadBytes: 1_000 };
      const { failure, detail } = await failedAttempt(async () => value, asHeader(header));
      assert.match(failure.message, rule);
      assert.equal(failure.nonRetryable, true);
      assert.deepEqual([detail.ledger, detail.sums.ambiguous], ['happened', true]);
      assert.equal(detail.sums.failed, 'n', 'the attempt counts, and is neutral to the breaker');
      assert.equal(await state(), 'done');
      const again = await failedAttempt(async () => 'never', asHeader(header));
      assert.match(again.failure.message, rule);
      assert.equal(again.detail.sums.failed, '', 'what the ledger answers is no attempt');
    });
  }

  it('fails a read for good as well', async () => {
    const header = { maxPayloadBytes: 1_000 };
    const { failure } = await failedAttempt(async () => 'x'.repeat(2_000), asHeader(header));
    assert.equal(failure.nonRetryable, true);
    assert.match(failure.message, /at most 1000 bytes as JSON, got 2002/);
  });
});

describe('a ledger that gives no answer', () => {
  const down = (method: 'claim' | 'settle'): Ledger =>
    new Proxy(ledger, {
      get: (target, name) =>
        name === method
          ? () => Promise.reject(new LedgerUnavailableError(method, new Error('down')))
          : Reflect.get(target, name).bind(target),
    });

  it('lets nothing run before the call, and costs no attempt (R11)', async () => {
    let ran = false;
    const { failure, detail } = await failedAttempt(
      async () => {
        ran = true;
      },
      { header: write, ledger: down('claim') },
    );
    assert.equal(ran, false);
    assert.equal(failure.type, 'holdfast.wait');
    assert.deepEqual(detail.sums, noSums);
  });

  it('makes the effect unknown after the call (R11)', async () => {
    const { failure, detail } = await failedAttempt(async () => 'done', {
      header: write,
      ledger: down('settle'),
      info: { startToCloseTimeoutMs: 300 },
    });
    assert.equal(failure.type, 'holdfast.wait');
    assert.equal(detail.sums.ambiguous, true);
    assert.equal(await state(), 'claimed');
  });
});

describe('cancelling a write', () => {
  it('lets one in flight finish, and keeps its result', async () => {
    const work = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 50, 'paid'));
    const attempt = startAttempt(work, asHeader(write));
    await untilState('claimed');
    attempt.environment.cancel();
    const end = await attempt.ended;
    assert.ok(end.kind === 'answered');
    assert.equal((end.value as { value: unknown }).value, 'paid');
    assert.equal(await state(), 'done');
  });

  it('sends nothing where it comes before the work', async () => {
    let ran = false;
    const attempt = startAttempt(() => {
      ran = true;
    }, asHeader(write));
    attempt.environment.cancel();
    const end = await attempt.ended;
    assert.equal(end.kind, 'failed');
    assert.equal(ran, false);
    assert.notEqual(await state(), 'unknown');
  });
});

describe('an approval at dispatch', () => {
  const implementation = {
    tool: {
      name: 'wipe',
      approval: { when: (input: { all: boolean }) => input.all, timeoutMs: 1 },
    },
  } as unknown as ToolImplementation;
  const options: AttemptOptions = {
    implementation,
    info: { activityType: 'wipe' },
    args: [{ all: true }],
  };

  it('is demanded by the worker itself (R13)', async () => {
    const { detail } = await failedAttempt(async () => 1, { ...options, ...asHeader(write) });
    assert.equal(detail.stop, 'approval-required');
  });

  it('is demanded of a call that the gate never saw', async () => {
    const { end } = await makeAttempt(async () => 1, { ...options, header: null });
    assert.ok(end.kind === 'failed');
    assert.equal(readFailure(end.error).failure.type, 'approval-required');
  });

  it('has to be for this key and these arguments (R13)', async () => {
    const approval = { id: 'a', key, fingerprint: 'e'.repeat(64) };
    const header = { ...write, approval };
    const { detail } = await failedAttempt(async () => 1, { ...options, ...asHeader(header) });
    assert.equal(detail.stop, 'approval-required');
  });

  it('lets the call through that it was given for', async () => {
    const approval = { id: 'a', key, fingerprint: fingerprint([{ all: true }]) };
    const end = await answeredAttempt(async () => 1, {
      ...options,
      ...asHeader({ ...write, approval }),
    });
    assert.equal(end.value, 1);
    assert.equal((await ledger.find(key))?.approval, 'a');
  });

  it('is not needed where the tool’s own condition says so', async () => {
    const end = await answeredAttempt(async () => 1, {
      ...options,
      args: [{ all: false }],
      ...asHeader(write),
    });
    assert.equal(end.value, 1);
  });
});
