import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { z } from 'zod';
import type { ToolImplementation } from '../../src/activities/implement-tool.js';
import type { CallHeader } from '../../src/contract/call-header.js';
import type { Ledger } from '../../src/ledger/index.js';
import { type AttemptOptions, answeredAttempt, failedAttempt } from './attempts.js';
import { type ClaimRig, keyed, openClaimRig, status, write } from './claim-rig.js';

let ledger: Ledger;
let key: string;
let asHeader: ClaimRig['asHeader'];
let state: ClaimRig['state'];
beforeEach(async () => {
  ({ ledger, key, asHeader, state } = await openClaimRig());
});

describe('an effect of which nobody knows', () => {
  const lose = (header: Partial<CallHeader>): Promise<unknown> =>
    failedAttempt(() => Promise.reject(status(500)), asHeader(header));

  it('is sent again under the same key where the downstream honours keys (R7)', async () => {
    await lose(keyed);
    const again = await answeredAttempt(async () => 'sent again', asHeader(keyed));
    assert.equal(again.value, 'sent again');
    assert.equal(again.replayed, undefined);
  });

  it('is not sent again once the downstream may have forgotten the key (R9)', async () => {
    const header = { ...keyed, keyWindowMs: 1 };
    await lose(header);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { detail } = await failedAttempt(async () => 'never', asHeader(header));
    assert.deepEqual([detail.ledger, detail.stop], ['unknown', 'effect-unknown']);
    assert.equal(detail.sums.ambiguous, true);
  });

  it('is never sent again blindly by a plain write (R7)', async () => {
    await lose(write);
    let ran = false;
    const { failure, detail } = await failedAttempt(async () => {
      ran = true;
    }, asHeader(write));
    assert.equal(ran, false);
    assert.equal(detail.ledger, 'unknown');
    assert.match(failure.message, /Nobody knows/);
  });

  type Probed = { kind: 'done'; value: unknown } | { kind: 'not-done' } | { kind: 'unknown' };
  const probedBy = (
    reconcile: () => Promise<Probed>,
  ): Pick<AttemptOptions, 'implementation' | 'info'> => ({
    info: { activityType: 'charge', startToCloseTimeoutMs: 10_000 },
    implementation: { tool: { name: 'charge' }, reconcile } as unknown as ToolImplementation,
  });
  const probed = (answer: Probed): Pick<AttemptOptions, 'implementation' | 'info'> =>
    probedBy(async () => answer);

  const chargeOf = (output: z.ZodType): Pick<AttemptOptions, 'implementation' | 'info'> => ({
    info: { activityType: 'charge', startToCloseTimeoutMs: 10_000 },
    implementation: { tool: { name: 'charge', output } } as unknown as ToolImplementation,
  });
  const charge = chargeOf(z.object({ refundId: z.string() }));

  it('is asked for where the tool has a probe, which waits with the retry (R7)', async () => {
    const { failure, detail } = await failedAttempt(() => Promise.reject(status(500)), {
      ...asHeader(write),
      ...probed({ kind: 'unknown' }),
    });
    assert.equal(failure.type, 'holdfast.wait');
    assert.equal((detail as unknown as { what: string }).what, 'probe');
    assert.equal(detail.sums.failed, 'f');
  });

  it('fails as without holdfast where it is only observed, whatever could be asked', async () => {
    const { failure } = await failedAttempt(() => Promise.reject(status(500)), {
      ...asHeader({ ...write, mode: 'observe' }),
      ...probed({ kind: 'unknown' }),
    });
    assert.notEqual(failure.type, 'holdfast.wait');
    assert.equal(failure.nonRetryable, false);
  });

  it('is answered by a probe that finds it done', async () => {
    await lose(write);
    const again = await answeredAttempt(async () => 'never', {
      ...asHeader(write),
      ...probed({ kind: 'done', value: 'found' }),
    });
    assert.deepEqual([again.value, again.replayed], ['found', true]);
    assert.equal(await state(), 'done');
  });

  it('waits for the lease before it believes that nothing happened: a request may be on its way', async () => {
    await lose(write);
    const { failure, detail } = await failedAttempt(async () => 'never', {
      ...asHeader(write),
      ...probed({ kind: 'not-done' }),
    });
    assert.equal(failure.type, 'holdfast.wait');
    assert.ok((detail as unknown as { waitMs: number }).waitMs > 1_000);
    assert.equal(await state(), 'unknown');
  });

  it('stays unknown where the probe doesn’t know', async () => {
    await lose(write);
    const { detail } = await failedAttempt(async () => 'never', {
      ...asHeader(write),
      ...probed({ kind: 'unknown' }),
    });
    assert.equal(detail.ledger, 'unknown');
  });

  it('is settled by a person’s word, which the next attempt writes', async () => {
    await lose(write);
    const settlement = { done: true, by: 'ops', note: 'seen in the bank' };
    const again = await answeredAttempt(async () => 'never', {
      ...asHeader({ ...write, settlement }),
      args: [{ orderId: 'o' }, { $holdfastResult: { refundId: 'r9' } }],
    });
    assert.deepEqual([again.value, again.replayed], [{ refundId: 'r9' }, true]);
    const entry = await ledger.find(key);
    assert.deepEqual([entry?.settledBy, entry?.note], ['ops', 'seen in the bank']);
  });

  /** Leaves the effect unknown by an attempt whose lease is over. */
  async function loseLongAgo(): Promise<void> {
    const about = { namespace: 'n', workflowId: 'w', runId: 'r', tool: 'charge', downstream: 'd' };
    const answer = await ledger.claim({
      key,
      fingerprint: 'f'.repeat(64),
      ownIdentity: false,
      owner: 'lost',
      leaseMs: 1,
      onUnknown: 'report',
      keyWindowMs: 1,
      about,
    });
    assert.ok(answer.kind === 'claimed');
    await ledger.settle(answer.claim, { kind: 'unknown', reason: 'lost' });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }

  it('waits for the lease before a person’s no lets it run: a request may be on its way', async () => {
    await lose(write);
    const settlement = { done: false, by: 'ops', note: '' };
    const { failure } = await failedAttempt(
      async () => 'never',
      asHeader({ ...write, settlement }),
    );
    assert.equal(failure.type, 'holdfast.wait');
    assert.equal(await state(), 'released');
  });

  it('runs once only for a person’s no: what may have happened since is asked for again', async () => {
    await loseLongAgo();
    let runs = 0;
    const settlement = { done: false, by: 'ops', note: '' };
    const land = async (): Promise<never> => {
      runs += 1;
      throw status(500);
    };
    const ask = probed({ kind: 'unknown' });
    const { failure, detail } = await failedAttempt(land, {
      ...asHeader({ ...write, settlement }),
      ...ask,
    });
    assert.equal(failure.type, 'holdfast.wait');
    const before = detail.sums;
    const again = await failedAttempt(land, {
      ...asHeader({ ...write, settlement, before }),
      ...ask,
    });
    assert.deepEqual([runs, again.detail.ledger], [1, 'unknown']);
  });

  it('may have happened where the probe of another run was refused', async () => {
    await lose(write);
    const reconcile = (): Promise<never> => Promise.reject(status(401));
    const { detail } = await failedAttempt(async () => 'never', {
      ...asHeader(write),
      ...probedBy(reconcile),
    });
    assert.deepEqual([detail.sums.failed, detail.sums.ambiguous], ['n', true]);
  });

  it('may have happened where the probe of another run gave no answer', async () => {
    await lose(write);
    const { detail } = await failedAttempt(async () => 'never', {
      ...asHeader(write),
      ...probedBy(() => new Promise(() => {})),
      info: { activityType: 'charge', startToCloseTimeoutMs: 60 },
    });
    assert.equal(detail.sums.ambiguous, true);
  });

  it('is not settled by a result that the tool’s schema refuses', async () => {
    await lose(keyed);
    const settlement = { done: true, by: 'ops', note: '' };
    const { failure, detail } = await failedAttempt(async () => 'never', {
      ...asHeader({ ...keyed, settlement }),
      ...charge,
      args: [{}, { $holdfastResult: { id: 'r9' } }],
    });
    assert.deepEqual([detail.ledger, detail.stop], ['unknown', 'effect-unknown']);
    assert.match(failure.message, /result that ops gave for it is none: charge\.output\.refundId/);
    assert.equal(await state(), 'unknown');
  });

  it('answers no result that the tool’s schema refuses, whoever wrote it into the ledger', async () => {
    await lose(write);
    const end = { kind: 'done', result: { id: 'r9' } } as const;
    await ledger.resolve(key, { end, by: 'ops', note: '' });
    const { failure, detail } = await failedAttempt(async () => 'never', {
      ...asHeader(write),
      ...charge,
    });
    assert.deepEqual([detail.ledger, detail.stop], ['happened', 'not-retryable']);
    assert.match(failure.message, /has happened, but the result that ops gave for it is none/);
  });

  it('is settled by null where the tool answers nothing', async () => {
    await lose(write);
    await ledger.resolve(key, { end: { kind: 'done', result: null }, by: 'ops', note: '' });
    const again = await answeredAttempt(async () => 'never', {
      ...asHeader(write),
      ...chargeOf(z.void()),
    });
    assert.deepEqual([again.value, again.replayed], [undefined, true]);
  });

  it('runs once a person says that it has not happened', async () => {
    await loseLongAgo();
    const settlement = { done: false, by: 'ops', note: '' };
    const again = await answeredAttempt(async (...args: unknown[]) => args, {
      ...asHeader({ ...write, settlement }),
      args: [{ orderId: 'o' }],
    });
    assert.deepEqual(again.value, [{ orderId: 'o' }]);
  });
});
