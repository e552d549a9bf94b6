import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RunReport, RunState } from 'holdfast/contract';
import { endsOf, type FamilyRig, startFamilyRig } from '../support/family-rig.js';
import { runTemporal } from '../support/temporal-command.js';
import { until } from '../support/until.js';
import type { FamilyDone } from './fixture/sub-agent-workflows.js';

let rig: FamilyRig;
before(async () => {
  rig = await startFamilyRig();
});
after(() => rig.stop());

describe('a child with a slice that fails', () => {
  it('returns the rest, and its failure shows nothing of it', async () => {
    const { report, ends } = await rig.run({
      children: [{ task: { failures: 1, end: 'plain-failure' }, slice: { retries: 2 } }],
    });
    assert.deepEqual(endsOf(report), [['failed', 1]]);
    assert.equal(ends[0]?.[0], 'ChildWorkflowFailure < ApplicationFailure');
    const [, details] = (ends[0]?.[1] ?? []) as unknown[][]; // of the failure's causes
    assert.equal(details?.length, 1); // the report of the call that it needed
  });

  it('returns all where it was never started', async () => {
    const id = rig.id('taken');
    const options = { workflowId: id };
    const { report } = await rig.run({
      parallel: true,
      children: [
        { task: { sleepMs: 300 }, options, slice: { retries: 1 } },
        { task: {}, options, slice: { retries: 1 } },
      ],
    });
    assert.deepEqual(endsOf(report).toSorted(), [
      ['not-started', 0],
      ['ok', 0],
    ]);
    assert.deepEqual(report.pool, { total: 6, spent: 0, reserved: 0 });
  });

  it('is charged with all of its slice where it is terminated', async () => {
    const workflowId = rig.id('family');
    const running = rig.run(
      { children: [{ task: { end: 'waits' }, slice: { retries: 2, tokens: 1_000 } }] },
      workflowId,
    );
    const child = `${workflowId}/errand/1`;
    await until(async () => (await callsOf(child)) === 1);
    await rig.client.workflow.getHandle(child).terminate();
    const { report } = await running;
    assert.deepEqual(endsOf(report), [['lost', 2]]);
    assert.deepEqual(report.pool, { total: 6, spent: 2, reserved: 0 });
    assert.equal(report.tokens.wasted, 100);
  });

  it('is charged with all of its slice where it runs into its timeout', async () => {
    const { report } = await rig.run({
      children: [
        {
          task: { end: 'waits' },
          slice: { retries: 2 },
          options: { workflowExecutionTimeout: 1_500 },
        },
      ],
    });
    assert.deepEqual(endsOf(report), [['lost', 2]]);
  });

  it('has used all of it in the next attempt, where the one before ran into its timeout', async () => {
    const { report } = await rig.run({
      children: [
        {
          task: { end: 'waits' },
          slice: { retries: 2 },
          options: {
            workflowRunTimeout: 1_000,
            retry: { maximumAttempts: 2, initialInterval: 1 },
          },
        },
      ],
    });
    assert.deepEqual(endsOf(report), [['lost', 2]]);
    const [{ workflowId } = { workflowId: '' }] = report.childLines ?? [];
    const { pool } = await rig.stateOf(workflowId);
    assert.deepEqual(pool, { total: 2, spent: 2, reserved: 0 });
  });

  it('has one attempt, unless its parent gives it more: these share the slice', async () => {
    const slice = { retries: 3 };
    const task = { failures: 1, end: 'throws' } as const;
    const retry = { maximumAttempts: 2, initialInterval: 1 };
    const { id, report, ends } = await rig.run({
      children: [
        { task, slice },
        { task, slice, options: { retry } },
      ],
    });
    assert.deepEqual(endsOf(report), [
      ['failed', 1],
      ['failed', 2],
    ]);
    assert.equal((await rig.stateOf(`${id}/errand/2`)).pool.spent, 2);
    assert.deepEqual(ends[1]?.[1], [null, ['own detail']]);
  });
});

describe('a child with a slice that is cancelled', () => {
  it('tells what it used before it ends, and the rest returns', async () => {
    const { report, ends, id } = await rig.run({
      cancelAfterMs: 1_500,
      children: [{ task: { failures: 1, end: 'waits' }, slice: { retries: 3 } }],
    });
    assert.deepEqual(
      ends.map(([kind]) => kind),
      ['cancelled'],
    );
    assert.deepEqual(endsOf(report), [['cancelled', 1]]);
    assert.deepEqual(report.pool, { total: 6, spent: 1, reserved: 0 });
    const { status } = await rig.client.workflow.getHandle(`${id}/errand/1`).describe();
    assert.equal(status.name, 'CANCELLED');
  });
});

describe('a run that gives slices', () => {
  for (const [slice, fault] of [
    [{ retries: -1 }, 'slice.retries must be a non-negative integer, got -1'],
    [{ deadlineMs: 0 }, 'slice.deadlineMs must be a finite number above 0, got 0'],
    [{ money: 1 }, 'slice.money must be one of retries, tokens, deadlineMs, got "money"'],
  ] as const) {
    it(`refuses a slice with ${JSON.stringify(slice)}`, async () => {
      const { client, taskQueue } = rig;
      const plan = { children: [{ task: {}, slice }] };
      const done = (await client.workflow.execute('family', {
        taskQueue,
        workflowId: rig.id('faulty'),
        args: [plan],
      })) as FamilyDone; // what the fixture returns
      const [kind, , message] = done.ends[0] ?? [];
      assert.deepEqual([kind, message], ['ApplicationFailure', fault]);
    });
  }

  it('takes nothing off its budgets where the gate only looks on', async () => {
    const { report } = await rig.run({ policy: { mode: 'observe' }, children: [{ task: {} }] });
    assert.equal(report.childLines, undefined);
    assert.deepEqual(report.pool, { total: 6, spent: 0, reserved: 0 });
  });

  it('is charged with all that still runs when it continues as new', async () => {
    const { client, taskQueue, id } = rig;
    const handle = await client.workflow.start('handsOver', {
      taskQueue,
      workflowId: id('handsOver'),
    });
    const report = (await handle.result()) as RunReport; // what the fixture returns
    assert.deepEqual(endsOf(report), [['lost', 2]]);
    assert.deepEqual(report.pool, { total: 6, spent: 2, reserved: 0 });
    assert.equal(report.tokens.wasted, 100);
    await client.workflow.getHandle(`${handle.workflowId}/errand/1`).terminate();
  });

  it('comes to the same accounts after a reset', async () => {
    const { id, report } = await rig.run({
      children: [{ task: { failures: 1 }, slice: { retries: 2 } }],
    });
    const args = ['-w', id, '--event-id', '4', '--reason', 'test'];
    const ended = await runTemporal(rig.address, ['workflow', 'reset', ...args]);
    assert.equal(ended.code, 0, ended.output);
    const again = (await rig.client.workflow.getHandle(id).result()) as FamilyDone; // the fixture's
    assert.deepEqual(endsOf(again.report), endsOf(report));
    assert.deepEqual(again.report.pool, report.pool);
  });
});

async function callsOf(workflowId: string): Promise<number> {
  const state = await rig.client.workflow
    .getHandle(workflowId)
    .query<RunState | null>('holdfast.state')
    .catch(() => null); // not started yet
  return state?.counts.ok ?? 0;
}
