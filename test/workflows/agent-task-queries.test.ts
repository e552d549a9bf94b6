import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import type { RunReport, RunState } from 'holdfast/contract';
import { failureOf } from '../support/failure-of.js';
import { startTaskRig, type TaskRig } from '../support/task-rig.js';

let rig: TaskRig;
before(async () => {
  rig = await startTaskRig();
});
after(() => rig.stop());

const limitBytes = 64 * 1024;
const waiting = { id: 'wait', tool: 'summarise', input: { takesMs: 3_000 } };
const steps = [{ id: 'first', tool: 'one_in_two', input: { failures: 1 } }, waiting];

async function untilCalls(handle: WorkflowHandle, calls: number): Promise<void> {
  while ((await handle.query<RunState>('holdfast.state')).calls < calls) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('the queries of a run', () => {
  it('show plan, pool and breakers while it runs', async () => {
    const handle = await rig.start({ steps: [...steps, { ...waiting, id: 'later' }] });
    await untilCalls(handle, 2);
    const state = await handle.query<RunState>('holdfast.state');
    assert.deepEqual(
      state.planned.map(({ id }) => id),
      ['later'],
    );
    assert.equal(state.pool.spent, 1);
    assert.ok(state.pool.reserved > 0);
    assert.equal(state.breakers.one_in_two?.kind, 'closed');
    const report = await handle.query<RunReport>('holdfast.report');
    assert.deepEqual(
      report.lines.map(({ step, attempts }) => [step, attempts]),
      [['first', 2]],
    );
    await handle.terminate();
  });

  it('show the end of one that is closed, failed or not', async () => {
    const ended = await rig.start({ steps: steps.slice(0, 1) });
    const result = (await ended.result()) as { readonly report: RunReport };
    assert.deepEqual(await ended.query('holdfast.report'), result.report);
    const failed = await rig.start({ steps: [{ ...waiting, input: { failures: 9 } }] });
    const failure = await failureOf(failed);
    const report = await failed.query<RunReport>('holdfast.report');
    const [detail] = failure.details as readonly RunReport[];
    assert.deepEqual(report, { ...report, ...pick(detail, Object.keys(report)) });
  });

  it('stay under 64 kB after 150 calls with the longest names that steps may have', async () => {
    const long = (index: number): string =>
      `${'step-'.repeat(12)}${String(index).padStart(4, '0')}`;
    const many = Array.from({ length: 150 }, (_, index) => ({
      id: long(index),
      tool: 'three_in_ten',
      input: {},
      required: false,
    }));
    const handle = await rig.start({ tenant: 'many', steps: many });
    let largest = 0;
    let isDone = false;
    const ended = handle.result().then(() => {
      isDone = true;
    });
    while (!isDone) {
      const state = await handle.query<RunState>('holdfast.state');
      largest = Math.max(largest, JSON.stringify(state).length);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await ended;
    for (const name of ['holdfast.state', 'holdfast.report']) {
      const answer = await handle.query<RunState>(name);
      assert.equal(answer.calls, 150);
      assert.equal(answer.attempts, 150);
      largest = Math.max(largest, JSON.stringify(answer).length);
    }
    assert.ok(largest < limitBytes, `${largest} bytes`);
  });

  it('have short names in agent tasks', async () => {
    const handle = await rig.start({ steps: steps.slice(0, 1) });
    await handle.result();
    for (const name of ['state', 'report']) {
      assert.deepEqual(await handle.query(name), await handle.query(`holdfast.${name}`));
    }
  });

  it('leave a user’s own query by the name state alone, and add none beside it', async () => {
    const handle = await rig.client.workflow.start('ownQuery', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('own'),
    });
    assert.equal(await handle.query('state'), 'mine');
    await untilCalls(handle, 1);
    await assert.rejects(handle.query('report'), /did not register|unknown query|not find/i);
    assert.equal(await handle.query('state'), 'mine');
    await handle.terminate();
  });
});

function pick(value: object | undefined, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([key]) => keys.includes(key)));
}
