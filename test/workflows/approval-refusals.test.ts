import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import type { PolicyInput, WaitingApproval } from 'holdfast/contract';
import {
  type PeopleRig,
  refusalOf,
  send,
  startPeopleRig,
  updateEventsOf,
  waitingOf,
} from '../support/people-rig.js';
import type { Paid } from './fixture/people-workflows.js';

let rig: PeopleRig;
before(async () => {
  rig = await startPeopleRig();
});
after(() => rig.stop());

const large = { orderId: 'A', amountCents: 20_000 };

type Message = { readonly [field: string]: unknown };

/** A run with one call that waits, and a decision that allows it. */
async function waitingRun(
  policy: PolicyInput = {},
): Promise<{ handle: WorkflowHandle; waiting: WaitingApproval; yes: Message }> {
  const handle = await rig.start('pays', { payments: [large], policy });
  const [waiting] = await waitingOf(handle, 'approvals');
  const { callId, fingerprint } = waiting;
  return { handle, waiting, yes: { callId, fingerprint, approve: true, by: 'Ada' } };
}

const refusalsOf = (handle: WorkflowHandle, message: unknown): ReturnType<typeof refusalOf> =>
  refusalOf(send(handle, 'decide', message));

describe('a decision', () => {
  it('of a call that has not been made yet is refused, and can be repeated once the call waits', async () => {
    const { handle, yes } = await waitingRun();
    const early = await refusalsOf(handle, { ...yes, callId: '2' });
    assert.equal(early.type, 'not-waiting');
    assert.equal(
      early.message,
      "Call 2 does not wait yet: the run's last call so far is 1. These wait: 1 (pay_out).",
    );
    await send(handle, 'decide', yes);
    const { outcomes }: Paid = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
  });

  it('of a call that never waited is refused', async () => {
    const payments = [{ ...large, amountCents: 1 }, large];
    const handle = await rig.start('pays', { payments, inTurn: true });
    const [{ fingerprint }] = await waitingOf(handle, 'approvals');
    const stray = { callId: '1', fingerprint, approve: true, by: 'Ada' };
    const refusal = await refusalsOf(handle, stray);
    assert.equal(refusal.type, 'not-waiting');
    assert.equal(refusal.message, 'Call 1 does not wait for anybody. These wait: 2 (pay_out).');
    await handle.terminate();
  });

  it('on other arguments is refused: the fingerprint says so', async () => {
    const { handle, waiting, yes } = await waitingRun();
    const refusal = await refusalsOf(handle, { ...yes, fingerprint: 'f00d' });
    assert.equal(refusal.type, 'fingerprint-differs');
    assert.match(refusal.message, new RegExp(`fingerprint is ${waiting.fingerprint}, got "f00d"`));
    assert.deepEqual(await handle.query('holdfast.approvals'), [waiting]);
    await handle.terminate();
  });

  it('that comes second is refused with what the first one was', async () => {
    const payments = [large, { ...large, orderId: 'B' }];
    const handle = await rig.start('pays', { payments });
    const [{ callId, fingerprint }] = await waitingOf(handle, 'approvals', 2);
    const no = { callId, fingerprint, approve: false, by: 'Ada' };
    await send(handle, 'decide', no);
    const refusal = await refusalsOf(handle, { ...no, approve: true, by: 'Bob' });
    assert.equal(refusal.type, 'already-decided');
    assert.match(refusal.message, /^Call 1 was denied by Ada at \d{4}-\d\d-\d\dT[\d:.]+Z\.$/);
    await handle.terminate();
  });

  it('sent at the same moment as another one is refused, and one of the two holds', async () => {
    const { handle, yes } = await waitingRun();
    const ends = await Promise.allSettled([
      send(handle, 'decide', yes),
      send(handle, 'decide', { ...yes, approve: false, by: 'Bob' }),
    ]);
    const kept = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    assert.equal(kept.length, 1);
    const { outcomes }: Paid = await handle.result();
    const { approved } = kept[0] as { readonly approved: boolean }; // a receipt
    assert.equal(outcomes[0]?.kind, approved ? 'ok' : 'denied');
  });

  it('after the deadline is refused', async () => {
    const handle = await rig.start('agentTask', {
      steps: [
        { id: 'late', tool: 'hurry', input: { orderId: 'A' }, required: false },
        { id: 'pay', tool: 'pay_out', input: large },
      ],
    });
    const [late] = await waitingOf(handle, 'approvals');
    let [next] = await waitingOf(handle, 'approvals');
    while (next.tool !== 'pay_out') [next] = await waitingOf(handle, 'approvals');
    const { callId, fingerprint } = late;
    const refusal = await refusalsOf(handle, { callId, fingerprint, approve: true, by: 'Ada' });
    assert.equal(refusal.type, 'already-decided');
    assert.match(refusal.message, new RegExp(`^Call ${callId} got no word until \\d{4}-`));
    await handle.terminate();
  });

  it('by somebody whom the policy does not name is refused, and names those who may', async () => {
    const { handle, yes } = await waitingRun({
      deciders: ['Carol'],
      tools: { pay_out: { deciders: ['Bob', 'Carol'] } },
    });
    const refusal = await refusalsOf(handle, yes);
    assert.equal(refusal.type, 'not-a-decider');
    assert.equal(refusal.message, 'Call 1 may be decided by Bob, Carol, not by "Ada".');
    await send(handle, 'decide', { ...yes, by: 'Bob' });
    const { outcomes }: Paid = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
  });

  it('of a wrong form is refused with every fault', async () => {
    const { handle, yes } = await waitingRun();
    const refusal = await refusalsOf(handle, { ...yes, callId: 1, approve: 'yes', aprove: true });
    assert.equal(refusal.type, 'invalid-request');
    assert.match(refusal.message, /decision\.aprove must be one of callId, .*, got "aprove"/);
    assert.match(refusal.message, /decision\.callId must be a text that is not blank, got 1/);
    assert.match(refusal.message, /decision\.approve must be true or false, got "yes"/);
    await handle.terminate();
  });

  it('that is refused leaves nothing in the history', async () => {
    const { handle, yes } = await waitingRun();
    for (const wrong of [undefined, {}, { ...yes, callId: '9' }, { ...yes, fingerprint: 'x' }]) {
      await refusalsOf(handle, wrong);
    }
    assert.equal(await updateEventsOf(handle), 0);
    await send(handle, 'decide', yes);
    assert.equal(await updateEventsOf(handle), 1);
    await handle.result();
  });
});
