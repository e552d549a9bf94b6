import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WaitingApproval, WaitingQuestion } from 'holdfast/contract';
import { type PeopleRig, startPeopleRig, waitingOf } from '../support/people-rig.js';
import { type CommandEnd, runTemporal } from '../support/temporal-command.js';
import type { Paid } from '../workflows/fixture/people-workflows.js';

let rig: PeopleRig;
before(async () => {
  rig = await startPeopleRig();
});
after(() => rig.stop());

const payments = [{ orderId: 'A', amountCents: 20_000 }];

/** Asks a run what waits, by the command. */
async function query<Shown>(workflowId: string, type: string): Promise<Shown[]> {
  const args = ['workflow', 'query', '-w', workflowId, '--type', type, '--output', 'json'];
  const ended = await runTemporal(rig.address, args);
  assert.equal(ended.code, 0, ended.output);
  return (JSON.parse(ended.stdout) as { readonly queryResult: [Shown[]] }).queryResult[0]; // the command's own JSON
}

function update(workflowId: string, name: string, input: object): Promise<CommandEnd> {
  const what = ['--name', name, '--input', JSON.stringify(input)];
  return runTemporal(rig.address, ['workflow', 'update', 'execute', '-w', workflowId, ...what]);
}

describe('the temporal command', () => {
  it('shows what waits for an approval, and approves it', async () => {
    const handle = await rig.start('pays', { payments });
    await waitingOf(handle, 'approvals');
    const { workflowId } = handle;
    const [waiting] = await query<WaitingApproval>(workflowId, 'holdfast.approvals');
    assert.ok(waiting);
    assert.deepEqual(waiting.input, payments[0]);
    const { callId, fingerprint } = waiting;
    const decision = { callId, fingerprint, approve: true, by: 'Ada' };
    const ended = await update(workflowId, 'holdfast.decide', decision);
    assert.equal(ended.code, 0, ended.output);
    assert.match(ended.output, /approved:true/);
    const { outcomes }: Paid = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
  });

  it('says why a decision is refused', async () => {
    const handle = await rig.start('pays', { payments });
    await waitingOf(handle, 'approvals');
    const decision = { callId: '1', fingerprint: 'x', approve: true, by: 'Ada' };
    const ended = await update(handle.workflowId, 'holdfast.decide', decision);
    assert.equal(ended.code, 1);
    assert.match(
      ended.output,
      /Call 1 waits with other arguments: their fingerprint is [0-9a-f]{64}/,
    );
    await handle.terminate();
  });

  it('answers a question', async () => {
    const handle = await rig.start('asks', { timeoutMs: 60_000 });
    await waitingOf(handle, 'questions');
    const [waiting] = await query<WaitingQuestion>(handle.workflowId, 'holdfast.questions');
    const answer = { street: 'Elm Street', number: 7 };
    const message = { questionId: waiting?.questionId, answer, by: 'Ada' };
    const ended = await update(handle.workflowId, 'holdfast.answer', message);
    assert.equal(ended.code, 0, ended.output);
    assert.equal(((await handle.result()) as { readonly kind: string }).kind, 'ok');
  });

  it('settles an unknown write', async () => {
    const handle = await rig.start('settles', { keys: ['a'] });
    await waitingOf(handle, 'unknowns');
    const settlement = { key: 'a', done: false, by: 'Ada' };
    const ended = await update(handle.workflowId, 'holdfast.settle', settlement);
    assert.equal(ended.code, 0, ended.output);
    assert.deepEqual(await handle.result(), [settlement]);
  });
});
