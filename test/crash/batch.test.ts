import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { BatchResult } from 'holdfast/contract';
import { type CrashRig, startCrashRig } from '../support/crash-rig.js';

/** Milliseconds after which a workflow task comes back whose worker was lost: the server's own are 10,000. */
const LOST_TASK_MS = 2_000;

describe('a batch whose worker is killed', () => {
  let rig: CrashRig;

  before(async () => {
    rig = await startCrashRig();
  });
  after(() => rig.stop());

  it('settles every item on another worker, and no effect is doubled', async () => {
    const { client, taskQueue, upstreamUrl, upstream } = rig;
    const items = Array.from({ length: 6 }, (_, index) => `ORD-${1_001 + index}`);
    const handle = await client.workflow.start('payBackAll', {
      taskQueue,
      workflowId: rig.id('batch'),
      workflowTaskTimeout: LOST_TASK_MS,
      args: [{ items, concurrency: 2 }],
    });
    const doomed = await rig.children.start({ stallAt: ['refund#1'], upstreamUrl });
    await doomed.attempted('refund#1'); // paid, and nobody has said so yet
    await doomed.kill();
    const rescuer = await rig.startRescuer();
    const result: BatchResult = await handle.result();
    await rescuer.stop();
    assert.deepEqual([result.kind, result.total, result.ok], ['ok', 6, 6]);
    const { effects, doubledEffects, replays } = upstream.stats().routes.refunds;
    assert.deepEqual([effects, doubledEffects], [6, 0]);
    assert.ok(replays > 0, 'what the lost worker had paid is asked for again');
  });
});
