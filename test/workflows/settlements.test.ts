import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type PeopleRig,
  refusalOf,
  send,
  startPeopleRig,
  updateEventsOf,
  waitingOf,
} from '../support/people-rig.js';

let rig: PeopleRig;
before(async () => {
  rig = await startPeopleRig();
});
after(() => rig.stop());

describe('an unknown write that waits', () => {
  it('is settled as done with its result by somebody who knows', async () => {
    const handle = await rig.start('settles', { keys: ['a'] });
    const [waiting] = await waitingOf(handle, 'unknowns');
    const { key, callId, tool, reason } = waiting;
    assert.deepEqual(
      { key, callId, tool, reason },
      { key: 'a', callId: '1', tool: 'pay_out', reason: 'timeout' },
    );
    assert.equal(waiting.deadlineAt, waiting.requestedAt + 600_000);
    const settlement = { key: 'a', done: true, result: { paidCents: 7 }, by: 'Ada' };
    assert.deepEqual(await send(handle, 'settle', settlement), { key: 'a', done: true });
    assert.deepEqual(await handle.result(), [settlement]);
  });

  it('is settled as not done', async () => {
    const handle = await rig.start('settles', { keys: ['a'] });
    await waitingOf(handle, 'unknowns');
    const settlement = { key: 'a', done: false, by: 'Ada', note: 'the bank says so' };
    await send(handle, 'settle', settlement);
    assert.deepEqual(await handle.result(), [settlement]);
  });

  it('waits until the deadline of the task and no longer', async () => {
    const handle = await rig.start('settles', { keys: ['a'], policy: { deadlineMs: 1_000 } });
    assert.deepEqual(await handle.result(), [null]);
  });

  it('is settled together with others of its key', async () => {
    const handle = await rig.start('settles', { keys: ['a', 'b', 'a'] });
    await waitingOf(handle, 'unknowns', 3);
    await send(handle, 'settle', { key: 'a', done: false, by: 'Ada' });
    const [left, ...others] = await waitingOf(handle, 'unknowns');
    assert.deepEqual([left.key, others], ['b', []]);
    await send(handle, 'settle', { key: 'b', done: false, by: 'Ada' });
    assert.equal(((await handle.result()) as readonly unknown[]).length, 3);
  });

  const wrong: readonly (readonly [string, object, string, RegExp])[] = [
    ['of a key that does not wait', { key: 'b' }, 'not-waiting', /key b does not .* a \(pay_out\)/],
    ['that says done without a result', { done: true }, 'invalid-request', /settlement\.result/],
    [
      'that says not done with a result',
      { result: 1 },
      'invalid-request',
      /settlement\.result must be absent where done is false, got 1/,
    ],
    ['by somebody else', { by: 'Bob' }, 'not-a-decider', /may be decided by Ada, not by "Bob"/],
  ];
  it('refuses a wrong settlement and says why, and nothing of it enters the history', async () => {
    const handle = await rig.start('settles', { keys: ['a'], policy: { deciders: ['Ada'] } });
    await waitingOf(handle, 'unknowns');
    for (const [name, fields, type, message] of wrong) {
      const settlement = { key: 'a', done: false, by: 'Ada', ...fields };
      const refusal = await refusalOf(send(handle, 'settle', settlement));
      assert.equal(refusal.type, type, name);
      assert.match(refusal.message, message, name);
    }
    assert.equal(await updateEventsOf(handle), 0);
    await handle.terminate();
  });

  it('quotes little of a message of a million characters', async () => {
    const handle = await rig.start('settles', { keys: ['a'] });
    await waitingOf(handle, 'unknowns');
    const settlement = { key: 'b'.repeat(1_000_000), done: false, by: 'Ada' };
    const { message } = await refusalOf(send(handle, 'settle', settlement));
    assert.ok(message.length <= 4_000);
    await handle.terminate();
  });
});
