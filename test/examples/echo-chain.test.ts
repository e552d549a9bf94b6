import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { implementTool } from 'holdfast';
import { tools } from '../../examples/echo-chain/tools.js';
import { type Rig, startRig } from '../support/rig.js';

describe('the smallest program', () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig({
      workflows: 'examples/echo-chain/workflows.js',
      implementations: tools.map((tool) => implementTool(tool, async (input) => input)),
    });
  });
  after(() => rig.stop());

  it('hands a text through three tools', async () => {
    const { taskQueue } = rig;
    const workflowId = rig.id('echo');
    const options = { taskQueue, workflowId, args: ['hello'] };
    assert.equal(await rig.client.workflow.execute('echoChain', options), 'hello');
  });
});
