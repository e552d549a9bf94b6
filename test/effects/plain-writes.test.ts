import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowFailedError } from '@temporalio/client';
import { send, waitingOf } from '../support/people-rig.js';
import { type Rig, startRig } from '../support/rig.js';
import { projectFile } from '../support/root.js';
import { plainActivities } from './fixture/plain.js';

const charged: unknown[] = [];
let rig: Rig;

before(async () => {
  rig = await startRig({
    workflows: 'test/effects/fixture/workflows.js',
    policyModule: projectFile('dist', 'test', 'effects', 'fixture', 'policy-module.js'),
    worker: { activities: plainActivities(charged) },
  });
});
after(() => rig.stop());

function execute<T>(type: string, ...args: unknown[]): Promise<T> {
  charged.length = 0;
  const options = { taskQueue: rig.taskQueue, workflowId: rig.id(type), args };
  return rig.client.workflow.execute(type, options);
}

/** Returns the failure of the activity by which a workflow failed. */
async function activityFailure(run: Promise<unknown>): Promise<{ type: string; message: string }> {
  const error: unknown = await run.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof WorkflowFailedError);
  const cause = error.cause?.cause as { readonly type: string; readonly message: string }; // an ApplicationFailure
  return cause;
}

describe('a plain activity that the policy names a write', () => {
  it('happens once for equal calls of one workflow', async () => {
    const answers = await execute('charges', 2, 5);
    assert.deepEqual(answers, [{ charge: 1 }, { charge: 1 }]);
    assert.deepEqual(charged, [5]);
  });

  it('happens once for each occurrence where the workflow means several', async () => {
    const answers = await execute('subscribes', ['2026-11', '2026-12', '2026-11']);
    assert.deepEqual(answers, [{ charge: 1 }, { charge: 2 }, { charge: 1 }]);
    assert.deepEqual(charged, [5, 5]);
  });

  it('takes the word of a person who found out later than the call’s own time allows', async () => {
    const options = { taskQueue: rig.taskQueue, workflowId: rig.id('late'), args: [] };
    const handle = await rig.client.workflow.start('chargesLate', options);
    const [{ key }] = await waitingOf(handle, 'unknowns');
    await pause(2_000);
    await send(handle, 'settle', { key, done: true, result: { charge: 7 }, by: 'Ada' });
    assert.deepEqual(await handle.result(), { charge: 7 });
  });

  for (const [kind, rule] of [
    ['nan', /charge\.arguments\S* must be JSON/],
    ['cycle', /charge\.arguments\S* must be JSON/],
    ['large', /charge\.arguments must be at most 1900000 bytes as JSON, got 30000\d\d/],
  ] as const) {
    it(`is refused before it is scheduled with arguments that can’t be its key: ${kind}`, async () => {
      const { type, message } = await activityFailure(execute('chargesOddly', kind));
      assert.equal(type, 'invalid-request');
      assert.match(message, rule);
      assert.deepEqual(charged, []);
    });
  }
});
