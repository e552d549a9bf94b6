import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { defaultPayloadConverter } from '@temporalio/common';
import type { BatchResult, CallHeader } from 'holdfast/contract';
import { type BatchRig, startBatchRig } from '../support/batch-rig.js';
import { failureOf } from '../support/failure-of.js';

let rig: BatchRig;

before(async () => {
  rig = await startBatchRig();
});
after(() => rig.stop());

describe('a batch', () => {
  it('runs every item to its end, whatever becomes of the others', async () => {
    const items = [{}, { end: 'fail' }, { end: 'degraded' }, {}, { end: 'fail' }, {}, { id: 'x' }];
    const { failures, batchId, ...result } = await rig.result({ items });
    assert.deepEqual(result, {
      kind: 'partial',
      total: 7,
      ok: 4,
      degraded: 1,
      failed: 2,
      cancelled: 0,
      repeated: 0,
      failedItems: '2,5',
    });
    const inOrder = failures.toSorted((one, other) => one.number - other.number);
    assert.deepEqual(inOrder, [
      { number: 2, workflowId: `${batchId}/2`, reason: 'told to fail' },
      { number: 5, workflowId: `${batchId}/5`, reason: 'told to fail' },
    ]);
  });

  it('is ok where every item has an answer', async () => {
    const { kind, failedItems } = await rig.result({ items: [{}, { end: 'degraded' }] });
    assert.deepEqual([kind, failedItems], ['ok', '']);
  });

  it('names an item’s workflow by the item’s id, else by its number', async () => {
    const { batchId } = await rig.result({ items: [{ id: 'first' }, {}] });
    for (const id of ['first', '2']) {
      const { status } = await rig.client.workflow.getHandle(`${batchId}/${id}`).describe();
      assert.equal(status.name, 'COMPLETED', id);
    }
  });

  it('runs no more items at once than it may', async () => {
    const handle = await rig.start({ items: Array(7).fill({ takesMs: 300 }), concurrency: 3 });
    const seen: number[] = [];
    const ended = handle.result();
    for (let isOver = false; !isOver; ) {
      const { running, ok } = await handle.progress();
      seen.push(running);
      isOver = ok === 7;
    }
    await ended;
    assert.equal(Math.max(...seen), 3);
  });

  it('waits between chunks of starts', async () => {
    const { result, workflowId } = await rig.start({
      items: Array(5).fill({}),
      concurrency: 2,
      pauseMs: 50,
    });
    await result();
    const { events } = await rig.client.workflow.getHandle(workflowId).fetchHistory();
    assert.equal(events?.filter((event) => event.timerStartedEventAttributes).length, 2);
  });

  it('makes ids and arguments and judges results as its definition says', async () => {
    const items = [1, 2, 3, 13].map((n) => ({ n }));
    const result = await rig.result({ items }, { type: 'ownBatch' });
    assert.equal(result.failedItems, '2,4');
    assert.deepEqual(result.failures.map(({ number, reason }) => [number, reason]).sort(), [
      [2, 'Its result says that it failed.'],
      [4, 'no thirteen'],
    ]);
    const { status } = await rig.client.workflow.getHandle(`${result.batchId}/n3`).describe();
    assert.equal(status.name, 'COMPLETED');
  });

  it('lets its items send evenly over time, within the limits of their policy', async () => {
    const { batchId } = await rig.result({ items: [{ id: 'gus' }] }, { type: 'orders' });
    const handle = rig.client.workflow.getHandle(`${batchId}/gus`);
    const { events = [] } = await handle.fetchHistory();
    const headers = events?.map(
      (event) => event.activityTaskScheduledEventAttributes?.header?.fields?.['holdfast-call'],
    );
    const call = headers?.find((header) => header != null);
    assert.ok(call != null);
    const { limits } = defaultPayloadConverter.fromPayload<Pick<CallHeader, 'limits'>>(call);
    assert.deepEqual(limits, { requestsPerMinute: 6_000, pace: true });
  });

  it('counts an item that stands in it twice, and runs it once', async () => {
    const { ok, repeated } = await rig.result({ items: [{ id: 'a' }, { id: 'a' }, { id: 'b' }] });
    assert.deepEqual([ok, repeated], [2, 1]);
  });

  it('runs nothing where it has no items', async () => {
    const { kind, total } = await rig.result({ items: [] });
    assert.deepEqual([kind, total], ['ok', 0]);
  });

  it('refuses a wrong input before anything runs, with every fault', async () => {
    const wrong = { items: [], file: 'a', only: '5-3', concurrency: 0, pause: 1 };
    const failure = await failureOf(rig.result(wrong as never)); // a program without types
    assert.equal(failure.type, 'invalid-request');
    for (const field of ['batch.only', 'batch.concurrency', 'batch.pause', 'batch must have']) {
      assert.ok(failure.message.includes(field), failure.message);
    }
    const definition = await failureOf(rig.result({ items: [] }, { type: 'wrongBatch' }));
    assert.match(definition.message, /defineBatch\.workflow .*defineBatch\.concurrency/);
  });
});

describe('the failed items of a batch', () => {
  it('run again under the same ids, and what they had done isn’t done twice', async () => {
    const { shop } = rig;
    const items = ['ann', 'ben', 'cleo'].map((id) => ({ id }));
    shop.charged.length = 0;
    shop.refused.add('ben');
    const first = await rig.result({ items }, { type: 'orders' });
    assert.equal(first.failedItems, '2');
    shop.refused.clear();
    const { batchId } = first;
    const again = await rig.result({ items, only: first.failedItems, batchId }, { type: 'orders' });
    assert.deepEqual([again.kind, again.total, again.ok], ['ok', 1, 1]);
    assert.deepEqual(shop.charged.toSorted(), ['ann', 'ben', 'cleo']);
  });

  it('are all that a batch runs that is started once more under its id', async () => {
    const { shop } = rig;
    const items = ['dora', 'emil', 'fay'].map((id) => ({ id }));
    shop.refused.add('emil');
    const workflowId = rig.id('orders');
    const results: BatchResult[] = [];
    for (let run = 0; run < 2; run++) {
      results.push(await rig.result({ items }, { type: 'orders', workflowId }));
      shop.refused.clear();
    }
    assert.deepEqual(
      results.map(({ ok, failed, repeated }) => [ok, failed, repeated]),
      [
        [2, 1, 0],
        [1, 0, 2],
      ],
    );
    assert.equal(shop.charged.filter((customer) => customer === 'emil').length, 1);
  });

  it('need no items that were not asked for', async () => {
    const items = Array(9).fill({});
    const { total, failedItems } = await rig.result({ items, only: '2-3,8-' });
    assert.deepEqual([total, failedItems], [4, '']);
  });
});
