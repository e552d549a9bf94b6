import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Rig, startRig } from '../support/rig.js';
import type { refusedTexts } from './fixture-formats/workflows.js';

describe('zod shared between runs', () => {
  let rig: Rig;

  before(async () => {
    rig = await startRig({ workflows: 'test/workflows/fixture-formats/workflows.js' });
  });
  after(() => rig.stop());

  it('checks every format in a workflow, in a second run as in the first', async () => {
    for (const run of ['first', 'second']) {
      const refused = await rig.client.workflow.execute<typeof refusedTexts>('refusedTexts', {
        taskQueue: rig.taskQueue,
        workflowId: rig.id(run),
        workflowExecutionTimeout: 20_000, // a throw would repeat the workflow task for ever
        args: [],
      });
      assert.deepEqual(refused, []);
    }
  });
});
