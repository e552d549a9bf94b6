import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { InvalidRequestError } from 'holdfast';
import type { Task, TaskFailure, TaskResult } from 'holdfast/contract';
import { failureOf } from '../support/failure-of.js';
import { type PolicyRig, startPolicyRig, stateOf } from '../support/policy-rig.js';
import { until } from '../support/until.js';
import type { StepsDone } from './fixture/policy-workflows.js';

let rig: PolicyRig;
let plain: { readonly client: Client; readonly connection: Connection };
before(async () => {
  rig = await startPolicyRig();
  const connection = await Connection.connect({ address: rig.address });
  plain = { client: new Client({ connection }), connection };
});
after(async () => {
  await plain.connection.close();
  await rig.stop();
});

/** A task whose one call fails so often before it is answered. */
const taskOf = (failures: number, continuesBudgetOf?: string): Task => ({
  steps: [
    {
      id: 'only',
      tool: 'look',
      input: { script: [...Array.from({ length: failures }, () => 'server'), 'ok'] },
    },
  ],
  ...(continuesBudgetOf === undefined ? {} : { continuesBudgetOf }),
});

function start(
  task: Task,
  client = rig.client,
  workflowId = rig.id('try'),
): Promise<WorkflowHandle> {
  return client.workflow.start('agentTask', { taskQueue: rig.taskQueue, workflowId, args: [task] });
}

async function activitiesOf(handle: WorkflowHandle): Promise<readonly string[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap((event) => {
    const type = event.activityTaskScheduledEventAttributes?.activityType?.name;
    return type == null ? [] : [type];
  });
}

describe('a task that continues the budget of another one', () => {
  it('begins with what that one had spent, and tries add up', async () => {
    const first = await start(taskOf(2));
    await first.result();
    const second = await start(taskOf(2, first.workflowId));
    const { report } = (await second.result()) as TaskResult; // agentTask's own
    assert.deepEqual(report.pool, { total: 6, spent: 4, reserved: 0 });
    assert.equal(report.retries, 2);
    assert.equal(report.inherited?.workflowId, first.workflowId);
    assert.equal(report.inherited?.spent.retries, 2);
    const third = await start(taskOf(1, second.workflowId));
    assert.deepEqual(((await third.result()) as TaskResult).report.pool.spent, 5);
  });

  it('has no retries where the tries before it have used them all', async () => {
    const { workflowId } = await spentRun(6);
    const again = await start(taskOf(1, workflowId));
    const [detail] = (await failureOf(again)).details ?? [];
    const { failure, pool } = detail as TaskFailure; // the failure's own detail
    assert.equal(failure.reason, 'retry-budget');
    assert.deepEqual(pool, { total: 6, spent: 6, reserved: 0 });
  });

  it('costs no event where holdfast’s client starts it, and one activity where another one does', async () => {
    const first = await start(taskOf(1));
    await first.result();
    const task = taskOf(0, first.workflowId);
    const own = await start(task);
    const other = await start(task, plain.client);
    for (const [handle, activities] of [
      [own, ['look']],
      [other, ['holdfast_spent_budget', 'look']],
    ] as const) {
      const { report } = (await handle.result()) as TaskResult; // agentTask's own
      assert.equal(report.pool.spent, 1);
      assert.deepEqual(await activitiesOf(handle), activities);
    }
  });

  it('is refused before the start where there is no such workflow', async () => {
    const workflowId = rig.id('try');
    await assert.rejects(
      start(taskOf(0, 'never-was'), rig.client, workflowId),
      (error: unknown) =>
        error instanceof InvalidRequestError &&
        error.field === 'continuesBudgetOf' &&
        error.value === 'never-was',
    );
    await assert.rejects(rig.client.workflow.getHandle(workflowId).describe());
  });

  it('fails before anything else is scheduled where another client starts it so', async () => {
    const handle = await start(taskOf(0, 'never-was'), plain.client);
    const failure = await failureOf(handle);
    assert.equal(failure.type, 'invalid-request');
    assert.match(failure.message, /continuesBudgetOf must name a workflow .*, got "never-was"/);
    assert.deepEqual(await activitiesOf(handle), ['holdfast_spent_budget']);
  });

  it('can’t name itself', async () => {
    const workflowId = rig.id('try');
    const failure = await failureOf(await start(taskOf(0, workflowId), plain.client, workflowId));
    assert.match(failure.message, /continuesBudgetOf must name another workflow than this one/);
  });

  it('is joined by a second start under its id while it runs', async () => {
    const workflowId = rig.id('joined');
    const slow: Task = {
      steps: [{ id: 'only', tool: 'look', input: { script: ['ok'], slowMs: 1_000 } }],
    };
    const first = await start(slow, rig.client, workflowId);
    const second = await start(taskOf(0), rig.client, workflowId);
    const [one, other] = await Promise.all([first.result(), second.result()]);
    assert.deepEqual(one, other);
  });

  it('is not joined where the start says so', async () => {
    const { client, taskQueue } = rig;
    const workflowId = rig.id('not-joined');
    const running = await rig.start({ calls: [{ failures: 0 }] }, workflowId);
    const { runId } = await running.describe();
    const options = { taskQueue, workflowId, args: [taskOf(0)] };
    await assert.rejects(
      client.workflow.start('agentTask', { ...options, workflowIdConflictPolicy: 'FAIL' }),
      { name: 'WorkflowExecutionAlreadyStartedError' },
    );
    const instead = await client.workflow.start('agentTask', {
      ...options,
      workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
    });
    assert.equal(((await instead.result()) as TaskResult).kind, 'ok'); // agentTask's own
    assert.notEqual(instead.firstExecutionRunId, runId);
  });
});

describe('a governor that continues the budget of another run', () => {
  it('begins with what that one had spent, which runs still', async () => {
    const running = await spentRun(3, { isLeftOpen: true });
    const handle = await rig.start({ calls: [{ failures: 1 }], continues: [running.workflowId] });
    await handle.signal('go');
    const { report }: StepsDone = await handle.result();
    assert.deepEqual(report.pool, { total: 6, spent: 4, reserved: 0 });
    await running.terminate();
  });

  it('reads the report of a run for which nobody answers any more', async () => {
    const handle = await start(taskOf(2));
    await handle.result();
    await rig.worker.stop();
    const elsewhere = await rig.startWorker({ taskQueue: `${rig.taskQueue}-other` });
    try {
      const again = await rig.client.workflow.start('stepwise', {
        taskQueue: `${rig.taskQueue}-other`,
        workflowId: rig.id('stepwise'),
        args: [{ calls: [], continues: [handle.workflowId] }],
      });
      const { report }: StepsDone = await again.result();
      assert.equal(report.pool.spent, 2);
    } finally {
      await elsewhere.stop();
      await rig.startWorker();
    }
  });

  it('continues one budget only', async () => {
    const one = await spentRun(0);
    const other = await spentRun(0);
    const handle = await rig.start({ calls: [], continues: [one.workflowId, other.workflowId] });
    assert.match((await failureOf(handle)).message, /must name one workflow: the budget of .* is/);
  });

  it('does not read it again when it continues as new', async () => {
    const { workflowId } = await spentRun(2);
    const continues = [workflowId];
    const handle = await rig.start({ calls: [], continues, next: { calls: [], continues } });
    const { report }: StepsDone = await handle.result();
    assert.equal(report.pool.spent, 2);
    assert.deepEqual(await activitiesOf(rig.client.workflow.getHandle(handle.workflowId)), []);
  });
});

/** A run that has spent so many retries. */
async function spentRun(retries: number, { isLeftOpen = false } = {}): Promise<WorkflowHandle> {
  const calls = Array.from({ length: Math.ceil(retries / 2) }, (_, index) => ({
    failures: Math.min(2, retries - 2 * index),
  }));
  const open = isLeftOpen ? [{ failures: 0 }] : [];
  const handle = await rig.start({ calls: [...calls, ...open] });
  for (const _ of calls) await handle.signal('go');
  if (!isLeftOpen) await handle.result();
  else await until(async () => (await stateOf(handle)).counts.ok === calls.length);
  return handle;
}
