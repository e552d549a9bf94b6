import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertCancelled } from '../support/assert-cancelled.js';
import { type BatchHandle, type BatchRig, startBatchRig } from '../support/batch-rig.js';
import { refusalOf } from '../support/people-rig.js';
import { until } from '../support/until.js';

const by = 'a person';

let rig: BatchRig;

before(async () => {
  rig = await startBatchRig();
});
after(() => rig.stop());

async function untilStarted(handle: BatchHandle, wanted: number): Promise<void> {
  await until(async () => (await handle.progress()).started >= wanted);
}

describe('the progress of a batch', () => {
  it('is visible while it runs: totals, what runs, what failed and why', async () => {
    const items = [{ end: 'fail' }, { takesMs: 60_000 }, { takesMs: 60_000 }, {}];
    const handle = await rig.start({ items, concurrency: 2 });
    await until(async () => (await handle.progress()).failed === 1);
    await untilStarted(handle, 3);
    const { failures, ...progress } = await handle.progress();
    assert.deepEqual(progress, {
      started: 3,
      ok: 0,
      degraded: 0,
      failed: 1,
      cancelled: 0,
      repeated: 0,
      total: 4,
      running: 2,
      paused: false,
      failedItems: '1',
    });
    assert.equal(failures[0]?.reason, 'told to fail');
    await handle.say('holdfast.cancelBatch', { by });
    await handle.result();
  });
});

describe('a paused batch', () => {
  it('starts nothing, lets what runs end, and goes on when it is resumed', async () => {
    const handle = await rig.start({ items: Array(6).fill({ takesMs: 300 }), concurrency: 2 });
    await untilStarted(handle, 2);
    const receipt = await handle.say('holdfast.pauseBatch', { by, note: 'lunch' });
    assert.deepEqual(receipt, { paused: true, cancelled: false });
    await until(async () => (await handle.progress()).running === 0);
    const { started, paused } = await handle.progress();
    assert.ok(started < 6);
    assert.equal(paused, true);
    await handle.say('holdfast.resumeBatch', { by });
    assert.equal((await handle.result()).ok, 6);
  });

  it('refuses to be paused again, and one that runs to be resumed', async () => {
    const handle = await rig.start({ items: Array(2).fill({ takesMs: 60_000 }), concurrency: 1 });
    const typeOf = async (update: string, word: unknown): Promise<unknown> =>
      (await refusalOf(handle.say(update, word))).type;
    assert.equal(await typeOf('holdfast.resumeBatch', { by }), 'not-paused');
    await handle.say('holdfast.pauseBatch', { by });
    assert.equal(await typeOf('holdfast.pauseBatch', { by }), 'already-paused');
    assert.equal(await typeOf('holdfast.resumeBatch', { note: 'who?' }), 'invalid-request');
    assert.equal(await typeOf('holdfast.resumeBatch', { by, why: 1 }), 'invalid-request');
    await handle.say('holdfast.cancelBatch', { by });
    await handle.result();
  });

  it('can be cancelled', async () => {
    const handle = await rig.start({ items: Array(3).fill({ takesMs: 60_000 }), concurrency: 1 });
    await untilStarted(handle, 1);
    await handle.say('holdfast.pauseBatch', { by });
    await handle.say('holdfast.cancelBatch', { by });
    assert.equal((await handle.result()).kind, 'cancelled');
  });
});

describe('a cancelled batch', () => {
  it('cancels what runs, starts nothing more, and says what has no answer', async () => {
    const items = [{}, { takesMs: 60_000 }, { takesMs: 60_000 }, {}, {}];
    const handle = await rig.start({ items, concurrency: 2 });
    await untilStarted(handle, 3);
    await until(async () => (await handle.progress()).ok === 1);
    await handle.say('holdfast.cancelBatch', { by });
    const { kind, total, ok, cancelled, failedItems, batchId } = await handle.result();
    assert.deepEqual([kind, total, ok, cancelled, failedItems], ['cancelled', 3, 1, 2, '2-5']);
    const { status } = await rig.client.workflow.getHandle(`${batchId}/2`).describe();
    assert.equal(status.name, 'CANCELLED');
  });

  it('runs the rest when it is started again with what had no answer', async () => {
    const items = [{}, { takesMs: 60_000 }, {}, {}];
    const handle = await rig.start({ items, concurrency: 2 });
    await until(async () => (await handle.progress()).ok === 3);
    await handle.say('holdfast.cancelBatch', { by });
    const { failedItems: only, batchId } = await handle.result();
    assert.equal(only, '2');
    const mended = items.map(() => ({}));
    const again = await rig.result({ items: mended, only, batchId });
    assert.deepEqual([again.kind, again.ok], ['ok', 1]);
  });

  it('ends Cancelled, once what runs has ended, where its workflow is cancelled', async () => {
    const handle = await rig.start({ items: Array(4).fill({ takesMs: 60_000 }), concurrency: 2 });
    await untilStarted(handle, 2);
    await handle.cancel();
    await assertCancelled(handle);
    const { running, cancelled } = await handle.progress();
    assert.deepEqual([running, cancelled], [0, 2]);
  });
});
