import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Step, TaskFailure } from 'holdfast/contract';
import { type CrashRig, startCrashRig } from '../support/crash-rig.js';
import { failureOf } from '../support/failure-of.js';
import type { RunningWorker } from '../support/rig.js';

describe('a worker that is lost while a task is undone', () => {
  let rig: CrashRig;
  let rescuer: RunningWorker | undefined;

  before(async () => {
    rig = await startCrashRig();
  });
  afterEach(async () => {
    await rig.children.killAll();
    await rescuer?.stop();
    rescuer = undefined;
  });
  after(() => rig.stop());

  const book = (id: string): Step => ({
    id,
    tool: 'book',
    input: { note: id, script: ['ok'] },
  });

  it('costs an interruption of undoing, none of the run, and everything is undone', async () => {
    const failing: Step = {
      id: 'last',
      tool: 'pack',
      input: { note: 'c', script: ['not-found'] },
    };
    const handle = await rig.client.workflow.start('undoTask', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('undo'),
      args: [{ steps: [book('a'), book('b'), failing] }],
    });
    const doomed = await rig.children.start({ stallAt: ['unbook#1'] });
    await doomed.attempted('unbook#1');
    await doomed.kill();
    rescuer = await rig.startRescuer();
    const [detail] = (await failureOf(handle)).details as [TaskFailure]; // what a failed task says
    assert.deepEqual(
      detail.compensations.map(({ step, kind }) => [step, kind]),
      [
        ['b', 'undone'],
        ['a', 'undone'],
      ],
    );
    assert.equal(detail.interruptionsLeft, 15);
    assert.equal(detail.undo?.interruptionsLeft, 14);
    assert.deepEqual(detail.pool, { total: 6, spent: 0, reserved: 0 });
  });
});
