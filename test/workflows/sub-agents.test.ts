import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { detailsOf } from '../support/details.js';
import { failureOf } from '../support/failure-of.js';
import { endsOf, type FamilyRig, linesOf, startFamilyRig } from '../support/family-rig.js';
import type { ErrandDone } from './fixture/sub-agent-workflows.js';

let rig: FamilyRig;
before(async () => {
  rig = await startFamilyRig();
});
after(() => rig.stop());

describe('a child with a slice', () => {
  it('has what it was given, and returns what it did not use', async () => {
    const { id, during, report, ends } = await rig.run({
      children: [{ task: { failures: 1 }, slice: { retries: 3, tokens: 2_000 } }],
    });
    assert.deepEqual(during.pool, { total: 6, spent: 0, reserved: 3 });
    assert.deepEqual(report.pool, { total: 6, spent: 1, reserved: 0 });
    const child = ends[0]?.[1] as ErrandDone; // what it returned, out of its envelope
    assert.equal(child.outcome.kind, 'ok');
    assert.deepEqual(child.report.pool, { total: 3, spent: 1, reserved: 0 });
    assert.equal((await rig.stateOf(`${id}/errand/1`)).slice?.retryTokens, 200);
    const details = await detailsOf(rig.client.workflow.getHandle(id));
    assert.match(details, /errand\/1 \| 3 \| 1 \| ok \|/);
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
    const { report, during } = await rig.run({ parallel: true, children: [child, child, child] });
    assert.deepEqual(
      linesOf(report).map(({ slice }) => slice.retries),
      [4, 2, 0],
    );
    assert.deepEqual(during.pool.reserved + during.pool.spent, 6);
    assert.equal(report.pool.reserved, 0);
    assert.equal(report.pool.spent, 4); // the third had none, so its call ended at its first failure
  });

  it('gets what a call beyond the plan would get, where nothing is said', async () => {
    const { report } = await rig.run({ ownRetries: 2, children: [{ task: {} }, { task: {} }] });
    assert.deepEqual(
      linesOf(report).map(({ slice }) => slice.retries),
      [4, 4],
    );
  });

  it('has a deadline of its own that is never past its parent’s', async () => {
    const { id, report } = await rig.run({
      children: [
        { task: {}, slice: { deadlineMs: 5_000 } },
        { task: {}, slice: { deadlineMs: 900_000 } },
      ],
    });
    const { deadlineAt } = await rig.stateOf(id);
    const [soon, late] = linesOf(report).map(({ slice }) => slice.deadlineAt);
    assert.ok(Number(soon) < Number(deadlineAt) - 50_000);
    assert.equal(late, deadlineAt);
    assert.equal((await rig.stateOf(`${id}/errand/1`)).deadlineAt, soon);
    // its own policy's minute began after its parent's
    assert.equal((await rig.stateOf(`${id}/errand/2`)).deadlineAt, deadlineAt);
  });

  it('works for its parent’s tenant, or for the one that is said', async () => {
    const { id } = await rig.run({ children: [{ task: {}, tenant: 'acme' }] });
    assert.equal((await rig.stateOf(`${id}/errand/1`)).tenant, 'acme');
  });

  it('passes a part of its slice on, and answers for what became of it', async () => {
    const { id, report } = await rig.run({
      children: [{ task: { failures: 1, passedOn: true }, slice: { retries: 2 } }],
    });
    assert.deepEqual(endsOf(report), [['ok', 1]]);
    const child = await rig.stateOf(`${id}/errand/1`);
    assert.deepEqual(child.pool, { total: 2, spent: 1, reserved: 0 });
    assert.equal((await rig.stateOf(`${id}/errand/1/errand/1`)).pool.total, 2);
  });

  it('keeps its slice and its accounts over continue-as-new', async () => {
    const { report } = await rig.run({
      children: [{ task: { failures: 1, end: 'again' }, slice: { retries: 2 } }],
    });
    assert.deepEqual(endsOf(report), [['ok', 2]]);
  });

  it('tells nothing of its budget to those who see its value', async () => {
    const { ends } = await rig.run({ children: [{ task: { end: 'nothing' } }] });
    assert.deepEqual(ends, [['ok', null]]);
  });

  it('tells what it used by a signal, where its value is bytes', async () => {
    const { report } = await rig.run({
      children: [{ task: { failures: 1, end: 'bytes' }, slice: { retries: 2 } }],
    });
    assert.deepEqual(endsOf(report), [['ok', 1]]);
  });

  it('adds no event to its parent’s history beside those of any child', async () => {
    const { id } = await rig.run({ children: [{ task: { failures: 1 } }] });
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
