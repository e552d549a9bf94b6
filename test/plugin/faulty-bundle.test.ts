import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { holdfast } from 'holdfast';
import { type Rig, startRig } from '../support/rig.js';
import { projectFile } from '../support/root.js';

const workflows = 'test/plugin/fixture/faulty-workflows.js';
let rig: Rig;

before(async () => {
  rig = await startRig({ workflows });
});

after(() => rig.stop());

async function start(type: string, ...args: readonly unknown[]): Promise<WorkflowHandle> {
  const { taskQueue } = rig;
  return rig.client.workflow.start(type, { workflowId: rig.id(type), taskQueue, args: [...args] });
}

/** Returns the places of the faults with which a workflow fails in its first task. */
async function faultPlaces(handle: WorkflowHandle): Promise<string[]> {
  const error: unknown = await handle.result().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof WorkflowFailedError, String(error));
  assert.ok(error.cause instanceof ApplicationFailure);
  assert.equal(error.cause.type, 'invalid-request');
  assert.equal(error.cause.nonRetryable, true);
  const { events } = await handle.fetchHistory();
  const tasks = events?.filter((event) => event.workflowTaskCompletedEventAttributes) ?? [];
  assert.equal(tasks.length, 1);
  for (const event of events ?? []) {
    assert.ok(!event.activityTaskScheduledEventAttributes, 'something was scheduled');
    assert.ok(!event.workflowTaskFailedEventAttributes, 'the workflow task failed');
  }
  // The failure's own shape.
  const [detail] = error.cause.details as [
    { faults: { field: string; rule: string; value: string }[] },
  ];
  for (const { rule, value } of detail.faults) assert.ok(rule !== '' && value !== '');
  return detail.faults.map(({ field }) => field);
}

const task = { steps: [{ id: 'a', tool: 'right', input: { id: 'x' } }] };
const policyPlaces = [
  'policy.globalRetryBudget',
  'policy.breaker.consecutiveFailureThreshold',
  'policy.tools.right.estimate.failureRate',
];
const toolPlaces = [
  'tools.wrong tool.name',
  'tools.wrong tool.estimate.failureRate',
  'tools.wrong tool.maxRetries',
  'tools.wrong tool.output.properties.at',
];

const refused: readonly (readonly [string, string, readonly string[]])[] = [
  ['a tool with faults', 'wrongTool', toolPlaces],
  ['a policy with faults', 'wrongPolicy', policyPlaces],
  ['a notify tool that waits for an approval itself', 'guardedNotice', ['notify']],
  ['two tools of one name', 'repeatedTool', ['tools[1].name']],
  [
    'a tool and a policy, in a workflow of the user’s',
    'wrongGovernor',
    [...toolPlaces, ...policyPlaces],
  ],
];

describe('a workflow whose code is wrong', () => {
  for (const [name, type, places] of refused) {
    it(`fails in its first task with every fault, and schedules nothing: ${name}`, async () => {
      const found = await faultPlaces(await start(type, task));
      assert.deepEqual(found, places);
    });
  }

  it('leaves the other workflows of its bundle alone', async () => {
    const places = await faultPlaces(await start('rightTask', { steps: [] }));
    assert.deepEqual(places, ['task.steps']);
  });
});

const nested: unknown = JSON.parse(`${'{"a":'.repeat(400)}1${'}'.repeat(400)}`);
const wrongTasks: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['nothing', undefined, ['task']],
  ['a text', 'steps', ['task']],
  ['no step', { steps: [] }, ['task.steps']],
  ['an unknown tool', { steps: [{ ...task.steps[0], tool: 'left' }] }, ['task.steps.0.tool']],
  [
    'a repeated id and a reference to nowhere',
    { steps: [task.steps[0], { ...task.steps[0], input: { id: { $ref: 'b' } } }] },
    ['task.steps.1.id', 'task.steps.1.input.id.$ref'],
  ],
  [
    'an input that is nested too deeply',
    { steps: [{ ...task.steps[0], input: nested }] },
    ['task'],
  ],
];

describe('a workflow whose task is wrong', () => {
  for (const [name, wrong, places] of wrongTasks) {
    it(`fails in its first task with every fault, and schedules nothing: ${name}`, async () => {
      assert.deepEqual(await faultPlaces(await start('rightTask', wrong)), places);
    });
  }
});

describe('a call whose identity no key can be made of', () => {
  it('is an outcome, and schedules nothing', async () => {
    const handle = await start('noKey');
    assert.match(String(await handle.result()), /^failed: .*identity\S* must be JSON/);
    const { events } = await handle.fetchHistory();
    assert.ok(!events?.some((event) => event.activityTaskScheduledEventAttributes));
  });
});

describe('a bundle with a faulty policy module', () => {
  it('fails its runs in their first task with every fault', async () => {
    const policyModule = projectFile('dist', 'test/plugin/fixture/faulty-policy.js');
    const workflowBundle = await bundleWorkflowCode({
      workflowsPath: projectFile('dist', workflows),
      plugins: [holdfast({ policyModule })],
      logger: new DefaultLogger('ERROR'),
    });
    const taskQueue = rig.id('queue');
    const worker = await rig.startWorker({ taskQueue, workflowBundle });
    const handle = await rig.client.workflow.start('adopted', {
      workflowId: rig.id('adopted'),
      taskQueue,
    });
    assert.deepEqual(await faultPlaces(handle), policyPlaces.slice(0, 2));
    await worker.stop();
  });
});
