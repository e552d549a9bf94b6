import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ChildLine, RunReport, RunState } from 'holdfast/contract';
import { failureOf } from '../support/failure-of.js';
import { type Rig, startRig } from '../support/rig.js';
import { runTemporal } from '../support/temporal-command.js';
import { until } from '../support/until.js';
import { implementations } from './fixture/implementations.js';
import type { ErrandDone, FamilyDone, FamilyPlan } from './fixture/sub-agent-workflows.js';

let rig: Rig;
before(async () => {
  rig = await startRig({
    workflows: 'test/workflows/fixture/sub-agent-workflows.js',
    implementations: implementations([]),
    dynamicConfig: { 'history.transferProcessorMaxPollRPS': '2000' },
  });
});
after(() => rig.stop());

async function run(
  plan: FamilyPlan,
  workflowId = rig.id('family'),
): Promise<FamilyDone & { readonly id: string }> {
  const { client, taskQueue } = rig;
  const done = await client.workflow.execute('family', { taskQueue, workflowId, args: [plan] });
  return { ...(done as FamilyDone), id: workflowId }; // what the fixture returns
}

const linesOf = ({ childLines = [] }: RunReport): readonly ChildLine[] => childLines;
const endsOf = (report: RunReport): unknown[] =>
  linesOf(report).map(({ end, spent }) => [end, spent?.retries]);
const stateOf = (id: string): Promise<RunState> =>
  rig.client.workflow.getHandle(id).query<RunState>('holdfast.state');

describe('a child with a slice', () => {
  it('has what it was given, and returns what it did not use', async () => {
    const { id, during, report, ends } = await run({
      children: [{ task: { failures: 1 }, slice: { retries: 3, tokens: 2_000 } }],
    });
    assert.deepEqual(during.pool, { total: 6, spent: 0, reserved: 3 });
    assert.deepEqual(report.pool, { total: 6, spent: 1, reserved: 0 });
    const child = ends[0]?.[1] as ErrandDone; // what it returned, out of its envelope
    assert.equal(child.outcome.kind, 'ok');
    assert.deepEqual(child.report.pool, { total: 3, spent: 1, reserved: 0 });
    assert.equal((await stateOf(`${id}/errand/1`)).slice?.retryTokens, 200);
    const [line] = linesOf(report);
    assert.ok(line);
    assert.deepEqual(
      { ...line, slice: { ...line.slice, deadlineAt: 0 } },
      {
        workflowId: `${id}/errand/1`,
        workflow: 'errand',
        slice: { retries: 3, tokens: 2_000, retryTokens: 200, deadlineAt: 0 },
        end: 'ok',
        spent: { retries: 1, tokens: { useful: 0, wasted: 0 } },
      },
    );
  });

  it('gets no more than is free, and siblings are never promised the same retries', async () => {
    const child = { task: { failures: 2 }, slice: { retries: 4 } };
    const { report, during } = await run({ parallel: true, children: [child, child, child] });
    assert.deepEqual(
      linesOf(report).map(({ slice }) => slice.retries),
      [4, 2, 0],
    );
    assert.deepEqual(during.pool.reserved + during.pool.spent, 6);
    assert.equal(report.pool.reserved, 0);
    assert.equal(report.pool.spent, 4); // the third had none, so its call ended at its first failure
  });

  it('gets what a call beyond the plan would get, where nothing is said', async () => {
    const { report } = await run({ ownRetries: 2, children: [{ task: {} }, { task: {} }] });
    assert.deepEqual(
      linesOf(report).map(({ slice }) => slice.retries),
      [4, 4],
    );
  });

  it('has a deadline of its own that is never past its parent’s', async () => {
    const { id, report } = await run({
      children: [
        { task: {}, slice: { deadlineMs: 5_000 } },
        { task: {}, slice: { deadlineMs: 900_000 } },
      ],
    });
    const { deadlineAt } = await stateOf(id);
    const [soon, late] = linesOf(report).map(({ slice }) => slice.deadlineAt);
    assert.ok(Number(soon) < Number(deadlineAt) - 50_000);
    assert.equal(late, deadlineAt);
    assert.equal((await stateOf(`${id}/errand/1`)).deadlineAt, soon);
    // its own policy's minute began after its parent's
    assert.equal((await stateOf(`${id}/errand/2`)).deadlineAt, deadlineAt);
  });

  it('works for its parent’s tenant, or for the one that is said', async () => {
    const { id } = await run({ children: [{ task: {}, tenant: 'acme' }] });
    assert.equal((await stateOf(`${id}/errand/1`)).tenant, 'acme');
  });

  it('passes a part of its slice on, and answers for what became of it', async () => {
    const { id, report } = await run({
      children: [{ task: { failures: 1, passedOn: true }, slice: { retries: 2 } }],
    });
    assert.deepEqual(endsOf(report), [['ok', 1]]);
    const child = await stateOf(`${id}/errand/1`);
    assert.deepEqual(child.pool, { total: 2, spent: 1, reserved: 0 });
    assert.equal((await stateOf(`${id}/errand/1/errand/1`)).pool.total, 2);
  });

  it('keeps its slice and its accounts over continue-as-new', async () => {
    const { report } = await run({
      children: [{ task: { failures: 1, end: 'again' }, slice: { retries: 2 } }],
    });
    assert.deepEqual(endsOf(report), [['ok', 2]]);
  });

  it('tells nothing of its budget to those who see its value', async () => {
    const { ends } = await run({ children: [{ task: { end: 'nothing' } }] });
    assert.deepEqual(ends, [['ok', null]]);
  });

  it('tells what it used by a signal, where its value is bytes', async () => {
    const { report } = await run({
      children: [{ task: { failures: 1, end: 'bytes' }, slice: { retries: 2 } }],
    });
    assert.deepEqual(endsOf(report), [['ok', 1]]);
  });

  it('adds no event to its parent’s history beside those of any child', async () => {
    const { id } = await run({ children: [{ task: { failures: 1 } }] });
    const { events } = await rig.client.workflow.getHandle(id).fetchHistory();
    const own = events?.filter(
      (event) =>
        event.workflowExecutionSignaledEventAttributes ||
        event.markerRecordedEventAttributes ||
        event.activityTaskScheduledEventAttributes,
    );
    assert.deepEqual(own, []);
  });
});

describe('a child with a slice that fails', () => {
  it('returns the rest, and its failure shows nothing of it', async () => {
    const { report, ends } = await run({
      children: [{ task: { failures: 1, end: 'plain-failure' }, slice: { retries: 2 } }],
    });
    assert.deepEqual(endsOf(report), [['failed', 1]]);
    assert.equal(ends[0]?.[0], 'ChildWorkflowFailure < ApplicationFailure');
    const [, details] = ends[0]?.[1] as unknown[][]; // of the failure's causes
    assert.equal(details?.length, 1); // the report of the call that it needed
  });

  it('returns all where it was never started', async () => {
    const id = rig.id('taken');
    const options = { workflowId: id };
    const { report } = await run({
      parallel: true,
      children: [
        { task: { sleepMs: 300 }, options, slice: { retries: 1 } },
        { task: {}, options, slice: { retries: 1 } },
      ],
    });
    assert.deepEqual(endsOf(report).sort(), [
      ['not-started', 0],
      ['ok', 0],
    ]);
    assert.deepEqual(report.pool, { total: 6, spent: 0, reserved: 0 });
  });

  it('is charged with all of its slice where it is terminated', async () => {
    const workflowId = rig.id('family');
    const running = run(
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
    const { report } = await run({
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

  it('has one attempt, unless its parent gives it more: these share the slice', async () => {
    const slice = { retries: 3 };
    const task = { failures: 1, end: 'throws' } as const;
    const retry = { maximumAttempts: 2, initialInterval: 1 };
    const { id, report, ends } = await run({
      children: [
        { task, slice },
        { task, slice, options: { retry } },
      ],
    });
    assert.deepEqual(endsOf(report), [
      ['failed', 1],
      ['failed', 2],
    ]);
    assert.equal((await stateOf(`${id}/errand/2`)).pool.spent, 2);
    assert.deepEqual(ends[1]?.[1], [null, ['own detail']]);
  });
});

describe('a child with a slice that is cancelled', () => {
  it('tells what it used before it ends, and the rest returns', async () => {
    const { report, ends, id } = await run({
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
    const { report } = await run({ policy: { mode: 'observe' }, children: [{ task: {} }] });
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
    const { id, report } = await run({
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

describe('an ordinary child of a governed run', () => {
  it('ends with its own value, which nobody wraps', async () => {
    const { client, taskQueue } = rig;
    const alone = await client.workflow.execute('errand', {
      taskQueue,
      workflowId: rig.id('alone'),
      args: [{}],
    });
    assert.deepEqual(Object.keys(alone as object).sort(), ['outcome', 'report']);
    const failing = client.workflow.execute('errand', {
      taskQueue,
      workflowId: rig.id('alone'),
      args: [{ end: 'plain-failure' }],
    });
    assert.equal((await failureOf(failing)).details?.length, 1);
  });
});
