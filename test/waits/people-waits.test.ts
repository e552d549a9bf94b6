import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { holdfast } from 'holdfast';
import { send, waitingOf } from '../support/people-rig.js';
import { projectFile } from '../support/root.js';
import { createTimeSkipping } from '../support/server.js';
import { openTestLedger, type TestLedger } from '../support/test-ledger.js';
import { peopleImplementations } from '../workflows/fixture/people-implementations.js';
import type { Paid } from '../workflows/fixture/people-workflows.js';

let environment: TestWorkflowEnvironment;
let worker: Worker;
let ended: Promise<void>;
let ledger: TestLedger;
const taskQueue = `people-${randomUUID()}`;

before(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  environment = await createTimeSkipping();
  ledger = await openTestLedger();
  worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue,
    workflowsPath: projectFile('dist/test/workflows/fixture/people-workflows.js'),
    plugins: [
      holdfast({
        implementations: peopleImplementations({ paid: [], told: [] }),
        ledger: ledger.ledger,
      }),
    ],
  });
  ended = worker.run();
});
after(async () => {
  worker.shutdown();
  await ended;
  await environment.teardown();
  await ledger.remove();
});

function start(workflow: string, ...args: readonly unknown[]): Promise<WorkflowHandle> {
  return environment.client.workflow.start(workflow, {
    taskQueue,
    workflowId: `${workflow}-${randomUUID()}`,
    args: [...args],
  });
}

/** How `paysLate` ends. */
type Late = { readonly waited: Paid['outcomes']; readonly after: Paid['outcomes'][number] };

const policy = { deadlineMs: 600_000 };
const payments = ['A', 'B'].map((orderId) => ({ orderId, amountCents: 20_000 }));

describe('the deadline of a task of ten minutes', () => {
  it('stands still while people decide, for hours, and once for two decisions', async () => {
    const handle = await start('paysLate', { payments, policy, pauseMs: 590_000 });
    for (const left of [2, 1]) {
      const [{ callId, fingerprint }] = await waitingOf(handle, 'approvals', left);
      await environment.sleep('3 hours');
      await send(handle, 'decide', { callId, fingerprint, approve: true, by: 'Ada' });
    }
    const { waited, after: last }: Late = await handle.result();
    assert.deepEqual(
      waited.map(({ kind }) => kind),
      ['ok', 'ok'],
    );
    assert.equal(last.kind, 'ok');
  });

  it('runs on where it stood: the rest of it passes after the decision', async () => {
    const handle = await start('paysLate', {
      payments: payments.slice(0, 1),
      policy,
      pauseMs: 601_000,
    });
    const [{ callId, fingerprint }] = await waitingOf(handle, 'approvals');
    await environment.sleep('3 hours');
    await send(handle, 'decide', { callId, fingerprint, approve: true, by: 'Ada' });
    const { waited, after: last }: Late = await handle.result();
    assert.equal(waited[0]?.kind, 'ok');
    assert.ok(last.kind === 'degraded');
    assert.equal(last.reason, 'deadline');
  });

  it('stands still until nobody has decided, too', async () => {
    const handle = await start('paysLate', { payments, policy, pauseMs: 590_000 });
    const { waited, after: last }: Late = await handle.result();
    assert.deepEqual(
      waited.map((outcome) => outcome.kind === 'denied' && outcome.report.reason),
      ['deadline', 'deadline'],
    );
    assert.equal(last.kind, 'ok');
  });

  it('does not stand still while an unknown write waits', async () => {
    const handle = await start('settles', { keys: ['a'], policy });
    const [{ requestedAt, deadlineAt }] = await waitingOf(handle, 'unknowns');
    assert.deepEqual([await handle.result(), Number(deadlineAt) - requestedAt], [[null], 600_000]);
  });
});

describe('an unknown write that waits beside a decision', () => {
  it('starts no timer while the deadline stands still', async () => {
    const handle = await start('settlesBeside');
    const [{ callId, fingerprint }] = await waitingOf(handle, 'approvals');
    await environment.sleep('1 hour');
    await send(handle, 'decide', { callId, fingerprint, approve: true, by: 'Ada' });
    assert.equal(await handle.result(), null);
    const { events } = await handle.fetchHistory();
    const timers = events?.filter((event) => event.timerStartedEventAttributes).length ?? 0;
    assert.ok(timers <= 3, `${timers} timers`);
  });
});

describe('an approval that waits for a day', () => {
  it('can be given near its end, and denies the call at its end', async () => {
    const handle = await start('pays', { payments });
    const [{ callId, fingerprint }] = await waitingOf(handle, 'approvals', 2);
    await environment.sleep('23 hours');
    await send(handle, 'decide', { callId, fingerprint, approve: true, by: 'Ada' });
    const { outcomes }: Paid = await handle.result();
    assert.deepEqual(
      outcomes.map((outcome) => [
        outcome.kind,
        'reason' in outcome.report && outcome.report.reason,
      ]),
      [
        ['ok', false],
        ['denied', 'deadline'],
      ],
    );
  });
});
