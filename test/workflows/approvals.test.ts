import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import { type Decision, fingerprint, type WaitingApproval } from 'holdfast/contract';
import { assertCancelled } from '../support/assert-cancelled.js';
import { failureOf } from '../support/failure-of.js';
import { type PeopleRig, send, startPeopleRig, waitingOf } from '../support/people-rig.js';
import type { Paid } from './fixture/people-workflows.js';

let rig: PeopleRig;
before(async () => {
  rig = await startPeopleRig();
});
after(() => rig.stop());

const large = { orderId: 'A', amountCents: 20_000 };

function decide(
  handle: WorkflowHandle,
  { callId, fingerprint: print }: WaitingApproval,
  decision: Partial<Decision>,
): Promise<unknown> {
  return send(handle, 'decide', { callId, fingerprint: print, by: 'Ada', ...decision });
}

type Approval = { readonly id: string; readonly key: string; readonly fingerprint: string };

/** Returns the approvals that the headers of a run's activities carry. */
async function approvalsOf(handle: WorkflowHandle): Promise<Approval[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => {
    const data = scheduled?.header?.fields?.['holdfast-call']?.data;
    if (data == null) return [];
    const { approval } = JSON.parse(Buffer.from(data).toString('utf8')) as { approval?: Approval }; // our own header
    return approval === undefined ? [] : [approval];
  });
}

describe('a call that needs an approval', () => {
  it('waits with its exact arguments, runs when it is approved, and confirms that', async () => {
    const handle = await rig.start('pays', { payments: [{ ...large, failures: 1 }] });
    const [waiting] = await waitingOf(handle, 'approvals');
    assert.deepEqual(waiting.input, { ...large, failures: 1 });
    assert.equal(waiting.fingerprint, fingerprint([waiting.input]));
    assert.equal(waiting.tool, 'pay_out');
    assert.equal(waiting.description, 'Pays money out');
    assert.equal(waiting.deadlineAt - waiting.requestedAt, 86_400_000);
    const receipt = await decide(handle, waiting, { approve: true });
    assert.deepEqual(receipt, { callId: waiting.callId, approved: true });
    const { outcomes, report }: Paid = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.equal(outcomes[0]?.report.call, Number(waiting.callId));
    assert.equal(outcomes[0]?.report.attempts, 2);
    assert.equal(report.calls, 1);
  });

  it('is denied when a person says no: nothing is scheduled, and no fallback hides it', async () => {
    const handle = await rig.start('pays', { payments: [large] });
    const [waiting] = await waitingOf(handle, 'approvals');
    const receipt = await decide(handle, waiting, { approve: false, note: 'too much' });
    assert.deepEqual(receipt, { callId: waiting.callId, approved: false });
    const { outcomes, report }: Paid = await handle.result();
    const [denied] = outcomes;
    assert.ok(denied?.kind === 'denied');
    assert.equal(denied.report.reason, 'denied');
    assert.equal(denied.report.class, null);
    assert.equal(denied.report.attempts, 0);
    assert.match(denied.report.message, /^Ada denied call 1 of pay_out: too much$/);
    assert.deepEqual(
      report.lines.map(({ call, kind, reason, share }) => [call, kind, reason, share]),
      [[1, 'denied', 'denied', 0]],
    );
    assert.equal(report.counts.denied, 1);
    assert.deepEqual(report.breakers, {});
    const { events } = await handle.fetchHistory();
    assert.ok(!events?.some((event) => event.activityTaskScheduledEventAttributes));
  });

  it('is denied when its deadline has passed', async () => {
    const handle = await rig.start('hurries');
    const { kind, report } = (await handle.result()) as Paid['outcomes'][number];
    assert.equal(kind, 'denied');
    assert.ok('reason' in report);
    assert.equal(report.reason, 'deadline');
    assert.match(report.message, /^Nobody approved call 1 of hurry by \d{4}-/);
  });

  it('does not wait where its condition says no', async () => {
    const handle = await rig.start('pays', { payments: [{ orderId: 'A', amountCents: 10_000 }] });
    const { outcomes }: Paid = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
  });

  it('is refused where its condition throws', async () => {
    const handle = await rig.start('pays', { payments: [{ orderId: 'broken', amountCents: 1 }] });
    const { outcomes }: Paid = await handle.result();
    assert.ok(outcomes[0]?.kind === 'failed');
    assert.match(outcomes[0].report.message, /pay_out: no such order/);
  });

  for (const mode of ['observe', 'off'] as const) {
    it(`waits in mode ${mode} as well, and runs only when it is approved`, async () => {
      const payments = [large, { ...large, orderId: 'B' }];
      const handle = await rig.start('pays', { payments, policy: { mode } });
      const [first, second] = await waitingOf(handle, 'approvals', 2);
      assert.ok(second);
      await decide(handle, second, { approve: false });
      await decide(handle, first, { approve: true });
      const { outcomes }: Paid = await handle.result();
      assert.deepEqual(
        outcomes.map(({ kind, report }) => [kind, report.call]),
        [
          ['ok', 1],
          ['denied', 2],
        ],
      );
      const approvals = await approvalsOf(handle);
      assert.deepEqual(
        approvals.map(({ key }) => key),
        [first.key],
      );
    });
  }

  it('fails the task when it is denied and its step is required', async () => {
    const handle = await rig.start('agentTask', {
      steps: [{ id: 'pay', tool: 'pay_out', input: large }],
    });
    const [waiting] = await waitingOf(handle, 'approvals');
    assert.equal(waiting.step, 'pay');
    await decide(handle, waiting, { approve: false });
    const failure = await failureOf(handle);
    assert.equal(failure.type, 'holdfast.task-failed');
    assert.match(failure.message, /Step pay \(pay_out\) got no answer \(denied: denied\): Ada/);
  });
});

describe('several calls that need approvals', () => {
  it('run as each was decided: approving one runs that one, and a declined one never runs', async () => {
    const before = rig.deeds.paid.length;
    const payments = ['one', 'two', 'three'].map((orderId) => ({ ...large, orderId }));
    const handle = await rig.start('pays', { payments });
    const [one, two, three] = await waitingOf(handle, 'approvals', 3);
    assert.ok(two && three);
    await decide(handle, two, { approve: true });
    await decide(handle, three, { approve: false });
    await decide(handle, one, { approve: false });
    const { outcomes }: Paid = await handle.result();
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['denied', 'ok', 'denied'],
    );
    assert.deepEqual(rig.deeds.paid.slice(before), ['two 20000']);
  });

  it('with equal arguments are decided one by one', async () => {
    const handle = await rig.start('pays', { payments: [large, large] });
    const [first, second] = await waitingOf(handle, 'approvals', 2);
    assert.equal(first.fingerprint, second?.fingerprint);
    await decide(handle, first, { approve: false });
    const [left, ...others] = await waitingOf(handle, 'approvals');
    assert.deepEqual([left.callId, others], [second?.callId, []]);
    await decide(handle, left, { approve: true });
    const { outcomes }: Paid = await handle.result();
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['denied', 'ok'],
    );
  });
});

describe('an approved call', () => {
  it('runs with the arguments that were shown, whatever the caller made of them meanwhile', async () => {
    const handle = await rig.start('changesItsMind');
    const [waiting] = await waitingOf(handle, 'approvals');
    assert.deepEqual(waiting.input, large);
    await decide(handle, waiting, { approve: true });
    const outcome = (await handle.result()) as Paid['outcomes'][number];
    assert.ok(outcome.kind === 'ok');
    assert.equal(outcome.value.paidCents, large.amountCents);
  });

  it('carries the approval, bound to key and fingerprint, in its header', async () => {
    const handle = await rig.start('pays', { payments: [large] });
    const [waiting] = await waitingOf(handle, 'approvals');
    await decide(handle, waiting, { approve: true });
    await handle.result();
    const [approval, ...others] = await approvalsOf(handle);
    const { key, fingerprint: print } = waiting;
    assert.deepEqual(
      { key: approval?.key, fingerprint: approval?.fingerprint },
      { key, fingerprint: print },
    );
    assert.deepEqual(others, []);
    assert.match(String(approval?.id), new RegExp(`^default/${handle.workflowId}/1/\\d+$`));
  });
});

describe('cancelling a run that waits for an approval', () => {
  it('ends it Cancelled, and nothing runs', async () => {
    const handle = await rig.start('pays', { payments: [large], notify: 'tell_late' });
    await waitingOf(handle, 'approvals');
    await handle.cancel();
    await assertCancelled(handle);
    assert.deepEqual(await handle.query('holdfast.approvals'), []);
  });

  it('in its own scope takes the call off the list, and the run goes on', async () => {
    const handle = await rig.start('givesUp');
    await waitingOf(handle, 'approvals');
    assert.equal(await handle.result(), 'CancelledFailure');
    assert.deepEqual(await handle.query('holdfast.approvals'), []);
    const state = await handle.query<{ readonly pausedAt?: number }>('holdfast.state');
    assert.equal(state.pausedAt, undefined);
  });
});

describe('a run that continues as new', () => {
  it('waits for the decision first, and counts on in the next run', async () => {
    const handle = await rig.start('handsOver', 1);
    const chain = rig.client.workflow.getHandle(handle.workflowId);
    const [first] = await waitingOf(chain, 'approvals');
    assert.deepEqual([first.callId, (first.input as { orderId: string }).orderId], ['1', 'run 1']);
    await decide(chain, first, { approve: true });
    let [next] = await waitingOf(chain, 'approvals');
    while (next.callId === '1') [next] = await waitingOf(chain, 'approvals');
    assert.deepEqual([next.callId, (next.input as { orderId: string }).orderId], ['2', 'run 0']);
    await decide(chain, next, { approve: false });
    const [outcome] = (await handle.result()) as Paid['outcomes'];
    assert.equal(outcome?.kind, 'denied');
  });
});
