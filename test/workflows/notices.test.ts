import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TaskResult, WaitingNotice } from 'holdfast/contract';
import { type PeopleRig, send, startPeopleRig, waitingOf } from '../support/people-rig.js';
import type { Paid } from './fixture/people-workflows.js';

let rig: PeopleRig;
before(async () => {
  rig = await startPeopleRig();
});
after(() => rig.stop());

const payments = [{ orderId: 'A', amountCents: 20_000 }];

/** Waits until somebody was told of a run. */
async function toldOf(workflowId: string): Promise<WaitingNotice> {
  for (;;) {
    const notice = rig.deeds.told.find((one) => one.workflowId === workflowId);
    if (notice !== undefined) return notice;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a notify tool', () => {
  it('is called with what the query shows when a call begins to wait', async () => {
    const handle = await rig.start('pays', { payments, notify: 'tell' });
    const [waiting] = await waitingOf(handle, 'approvals');
    const notice = await toldOf(handle.workflowId);
    assert.deepEqual(notice.waiting, { kind: 'approval', ...waiting });
    const { callId, fingerprint } = waiting;
    await send(handle, 'decide', { callId, fingerprint, approve: true, by: 'Ada' });
    const { outcomes, report }: Paid = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.deepEqual(
      report.lines.map(({ call, tool, kind }) => [call, tool, kind]),
      [
        [2, 'tell', 'ok'],
        [1, 'pay_out', 'ok'],
      ],
    );
  });

  it('is called when an unknown write begins to wait', async () => {
    const handle = await rig.start('settles', { keys: ['a'], notify: 'tell' });
    const [waiting] = await waitingOf(handle, 'unknowns');
    const notice = await toldOf(handle.workflowId);
    assert.deepEqual(notice.waiting, { kind: 'settlement', ...waiting });
    await handle.terminate();
  });

  it('of an agent task is told which step waits, and is no step itself', async () => {
    const handle = await rig.start('agentTask', {
      steps: [{ id: 'pay', tool: 'pay_out', input: payments[0] }],
    });
    const [{ callId, fingerprint }] = await waitingOf(handle, 'approvals');
    const { waiting } = await toldOf(handle.workflowId);
    assert.ok(waiting.kind === 'approval');
    assert.equal(waiting.step, 'pay');
    await send(handle, 'decide', { callId, fingerprint, approve: true, by: 'Ada' });
    const { kind, steps }: TaskResult = await handle.result();
    assert.deepEqual([kind, steps.map(({ id }) => id)], ['ok', ['pay']]);
  });

  it('that fails is booked, and the call that waits goes on', async () => {
    const handle = await rig.start('pays', { payments, notify: 'tell_nobody' });
    const [{ callId, fingerprint }] = await waitingOf(handle, 'approvals');
    let lines: Paid['report']['lines'] = [];
    while (lines.length === 0) {
      ({ lines } = await handle.query<Paid['report']>('holdfast.report'));
    }
    assert.deepEqual(
      lines.map(({ tool, kind }) => [tool, kind]),
      [['tell_nobody', 'failed']],
    );
    await send(handle, 'decide', { callId, fingerprint, approve: true, by: 'Ada' });
    const { outcomes }: Paid = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
  });

  it('that is still at it when the decision comes is cancelled, and booked so', async () => {
    const handle = await rig.start('pays', { payments, notify: 'tell_late' });
    const [{ callId, fingerprint }] = await waitingOf(handle, 'approvals');
    await send(handle, 'decide', { callId, fingerprint, approve: true, by: 'Ada' });
    const { outcomes, report }: Paid = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.deepEqual(
      report.lines.map(({ tool, kind }) => [tool, kind]),
      [
        ['tell_late', 'cancelled'],
        ['pay_out', 'ok'],
      ],
    );
  });
});

type Metadata = { readonly currentDetails?: string };

describe('Current Details', () => {
  it('show what waits for a person, and since when', async () => {
    const handle = await rig.start('pays', { payments });
    const [{ requestedAt }] = await waitingOf(handle, 'approvals');
    const { currentDetails } = await handle.query<Metadata>('__temporal_workflow_metadata');
    const text = String(currentDetails).replaceAll('\u00a0', ' ').replaceAll(/ +/g, ' ');
    const since = new Date(requestedAt).toISOString().slice(0, 19).replace('T', ' ');
    assert.match(text, /### Waits for a person/);
    assert.match(text, new RegExp(`\\| call 1 \\| pay_out \\| ${since} UTC \\| \\d{4}-`));
    await handle.terminate();
  });
});
