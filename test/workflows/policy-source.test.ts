import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { holdfast, InvalidRequestError, policyFiles } from 'holdfast';
import type { PolicyInput, TaskResult } from 'holdfast/contract';
import { failureOf } from '../support/failure-of.js';
import { goOn, type PolicyRig, setPolicy, startPolicyRig, stateOf } from '../support/policy-rig.js';
import { until } from '../support/until.js';
import type { StepsDone } from './fixture/policy-workflows.js';

let rig: PolicyRig;
let folder: string;
let connection: Connection;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-policies-'));
  rig = await startPolicyRig(policyFiles(folder));
  connection = await Connection.connect({ address: rig.address });
});
after(async () => {
  await connection.close();
  await rig.stop();
  await rm(folder, { recursive: true });
});

const write = (name: string, policy: unknown): Promise<void> =>
  writeFile(
    join(folder, `${name}.json`),
    typeof policy === 'string' ? policy : JSON.stringify(policy),
  );
const backoff = { baseMs: 20, capMs: 60 };
const task = { steps: [{ id: 'only', tool: 'look', input: { script: ['server', 'ok'] } }] };

function startTask(type: string, client = rig.client): Promise<WorkflowHandle> {
  const { taskQueue, id } = rig;
  return client.workflow.start(type, { taskQueue, workflowId: id(type), args: [task] });
}

function clientWith(policy: PolicyInput): Client {
  return new Client({ connection, plugins: [holdfast({ policy })] });
}

async function countOf(handle: WorkflowHandle, type: string): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === type,
  ).length;
}

describe('a policy of the workers’ source', () => {
  it('holds for a task that names it, in the version that it had', async () => {
    await write('support', { version: '2026-12', globalRetryBudget: 2, backoff });
    const handle = await startTask('sourcedTask');
    const { report } = (await handle.result()) as TaskResult; // the task's own
    assert.equal(report.policyVersion, '2026-12');
    assert.deepEqual(report.pool, { total: 2, spent: 1, reserved: 0 });
    const { policy } = await stateOf(handle);
    assert.ok(policy?.kind === 'source');
    assert.equal(policy.name, 'support');
    assert.equal(await countOf(handle, 'holdfast_load_policy'), 1);
  });

  it('stays what it was for a run that has it, whatever the file says later', async () => {
    await write('support', { version: 'a', globalRetryBudget: 5, backoff });
    const handle = await rig.start({ calls: [{ failures: 0 }], loads: 'support' });
    await until(async () => (await countOf(handle, 'holdfast_load_policy')) === 1);
    await until(async () => (await stateOrNull(handle)) !== null);
    await write('support', { version: 'b', globalRetryBudget: 1, backoff });
    await goOn(handle, 2);
    const { report }: StepsDone = await handle.result();
    assert.equal(report.policyVersion, 'a');
  });

  it('does not move a deadline that is the task’s own', async () => {
    await write('support', { version: 'short', deadlineMs: 1_000, backoff });
    const { taskQueue, id, client } = rig;
    const handle = await client.workflow.start('sourcedTask', {
      taskQueue,
      workflowId: id('own-deadline'),
      args: [{ ...task, deadlineMs: 50_000 }],
    });
    await handle.result();
    const { deadlineAt } = await stateOf(handle);
    const { startTime } = await handle.describe();
    assert.ok(Number(deadlineAt) >= startTime.getTime() + 50_000);
  });

  const wrong: readonly (readonly [string, () => Promise<unknown>, RegExp])[] = [
    [
      'there is none of that name',
      () => rm(join(folder, 'support.json'), { force: true }),
      /policyFrom must name a file of the worker's policies, got "support\.json"/,
    ],
    ['it is no JSON', () => write('support', '{'), /policyFrom must name a file that holds JSON/],
    [
      'it says no version',
      () => write('support', { globalRetryBudget: 2 }),
      /policyFrom must name a file with a policy that has a version/,
    ],
    [
      'it has a fault',
      () => write('support', { version: '1', maxAttempts: 0 }),
      /policy\.maxAttempts must be a positive integer, got 0/,
    ],
    [
      'it names a tool that the task doesn’t have',
      () => write('support', { version: '1', tools: { pya: { maxAttempts: 1 } } }),
      /policy\.tools\.pya must name one of/,
    ],
  ];
  for (const [why, make, message] of wrong) {
    it(`ends the run, and says what is wrong, where ${why}`, async () => {
      await make();
      const handle = await startTask('sourcedTask');
      const failure = await failureOf(handle);
      assert.equal(failure.type, 'invalid-request');
      assert.match(failure.message, message);
      assert.equal(await countOf(handle, 'look'), 0);
    });
  }

  it('is never a file outside the folder', async () => {
    await assert.rejects(policyFiles(folder).load('../secrets'), InvalidRequestError);
  });
});

describe('a policy that the client hands in', () => {
  it('holds in place of the code’s, at no extra event', async () => {
    const client = clientWith({ version: 'c', globalRetryBudget: 1, backoff });
    const handle = await startTask('agentTask', client);
    const { report } = (await handle.result()) as TaskResult; // the task's own
    assert.equal(report.policyVersion, 'c');
    assert.deepEqual(report.pool, { total: 1, spent: 1, reserved: 0 });
    const plainly = await startTask('agentTask');
    await plainly.result();
    assert.equal(await lengthOf(handle), await lengthOf(plainly));
  });

  it('goes before the one of the source, which is not asked', async () => {
    const handle = await startTask('sourcedTask', clientWith({ version: 'c', backoff }));
    const { report } = (await handle.result()) as TaskResult; // the task's own
    assert.equal(report.policyVersion, 'c');
    assert.equal(await countOf(handle, 'holdfast_load_policy'), 0);
  });

  it('holds on when the run continues as new before it has called anything', async () => {
    const { taskQueue, id } = rig;
    const last = { calls: [{ failures: 1 }] };
    const client = clientWith({ version: 'c', globalRetryBudget: 1, backoff });
    const handle = await client.workflow.start('stepwise', {
      taskQueue,
      workflowId: id('continued'),
      args: [{ calls: [], next: last }],
    });
    const next = client.workflow.getHandle(handle.workflowId);
    await until(async () => (await next.describe()).runId !== handle.firstExecutionRunId);
    await goOn(next, 1);
    const { report }: StepsDone = await next.result();
    assert.equal(report.policyVersion, 'c');
  });

  it('gives way to one that a person puts in force', async () => {
    const { taskQueue, id } = rig;
    const handle = await clientWith({ version: 'c' }).workflow.start('stepwise', {
      taskQueue,
      workflowId: id('overruled'),
      args: [{ calls: [{ failures: 0 }] }],
    });
    await setPolicy(handle, { policy: { version: 'd' }, by: 'Ada' });
    await goOn(handle, 1);
    const { report }: StepsDone = await handle.result();
    assert.equal(report.policyVersion, 'd');
  });

  it('is checked before anything is started', () => {
    const faulty = { maxAttempts: 0 };
    assert.throws(() => holdfast({ policy: faulty }), InvalidRequestError);
    const large = { version: 'x'.repeat(20_000) };
    assert.throws(() => holdfast({ policy: large }), /policy must be at most 16384 bytes/);
  });
});

async function lengthOf(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  return events?.length ?? 0;
}

const stateOrNull = (handle: WorkflowHandle): Promise<unknown> => handle.query('holdfast.state');
