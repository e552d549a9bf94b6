import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { WorkflowNotFoundError } from '@temporalio/client';
import { InvalidRequestError } from 'holdfast';
import { failureOf } from '../support/failure-of.js';
import { startTaskRig, type TaskRig } from '../support/task-rig.js';

let rig: TaskRig;
before(async () => {
  rig = await startTaskRig();
});
after(() => rig.stop());

type Fault = readonly [field: string, rule: RegExp, value: string];

const rule = { id: 'a', tool: 'answer_by_rule', input: {} };
const refers = (id: string, $ref: unknown): object => ({
  id,
  tool: 'summarise',
  input: { city: { $ref } },
});
const cityFault = (at: number, expected: RegExp, text: string): Fault => [
  `task.steps.${at}.input.city.$ref`,
  expected,
  text,
];

const rows: readonly (readonly [name: string, task: unknown, faults: readonly Fault[]])[] = [
  ['that is no object', 'do it', [['task', /object/, '"do it"']]],
  [
    'that is a list',
    [rule],
    [['task', /object/, '[{"id":"a","tool":"answer_by_rule","input":{}}]']],
  ],
  ['that is missing', undefined, [['task', /object/, 'undefined']]],
  ['without steps', { steps: [] }, [['task.steps', /at least one step/, '[]']]],
  [
    'with an unknown tool',
    { steps: [{ ...rule, tool: 'fly' }] },
    [['task.steps.0.tool', /must be one of the tools find_orders, .*one_in_ten/, '"fly"']],
  ],
  [
    'with a wrong input',
    { steps: [{ id: 'a', tool: 'find_orders', input: { customer: 7, failures: 0.5 } }] },
    [
      ['task.steps.0.input.customer', /expected string/, '7'],
      ['task.steps.0.input.failures', /expected int/, '0.5'],
    ],
  ],
  [
    'with references to nowhere, to itself and to a later step',
    { steps: [refers('a', 'nobody#/x'), refers('b', 'b'), refers('c', 'd'), { ...rule, id: 'd' }] },
    [
      cityFault(0, /must name a step of the task/, '"nobody#/x"'),
      cityFault(1, /must name an earlier step/, '"b"'),
      cityFault(2, /must name an earlier step/, '"d"'),
    ],
  ],
  [
    'with references that can’t be read or that no output holds',
    { steps: [rule, refers('b', 'a#text'), refers('c', 7), refers('d', 'a#/nothing')] },
    [
      cityFault(1, /must be "stepId" or "stepId#\/json\/pointer"/, '"a#text"'),
      cityFault(2, /must be "stepId" or "stepId#\/json\/pointer"/, '7'),
      cityFault(3, /must point at something that answer_by_rule returns/, '"a#/nothing"'),
    ],
  ],
  [
    'with repeated ids',
    { steps: [rule, rule] },
    [['task.steps.1.id', /must differ from the ids of earlier steps/, '"a"']],
  ],
  [
    'with fields that don’t exist',
    { steps: [{ ...rule, retries: 3 }], budget: 9 },
    [
      ['task.steps.0', /retries/, '"retries"'],
      ['task', /budget/, '"budget"'],
    ],
  ],
  [
    'with a fallback that the tool’s output refuses',
    { steps: [{ ...rule, fallback: { value: { text: 7 } } }] },
    [['task.steps.0.fallback.value.text', /expected string/, '7']],
  ],
  [
    'with a deadline and a tenant out of range',
    { steps: [rule], deadlineMs: -1, tenant: '' },
    [
      ['task.tenant', /./, '""'],
      ['task.deadlineMs', />0/, '-1'],
    ],
  ],
  [
    'with faults of several kinds at once',
    {
      steps: [{ ...rule, tool: 'fly' }, rule, { ...refers('c', 'x'), fallback: { tool: 'swim' } }],
    },
    [
      ['task.steps.0.tool', /must be one of/, '"fly"'],
      ['task.steps.1.id', /must differ/, '"a"'],
      cityFault(2, /must name a step/, '"x"'),
      ['task.steps.2.fallback.tool', /must be one of/, '"swim"'],
    ],
  ],
];

describe('a task', () => {
  for (const [name, task, faults] of rows) {
    it(`${name} fails in its first workflow task, with every fault named`, async () => {
      const handle = await rig.start(task);
      const failure = await failureOf(handle);
      assert.equal(failure.type, 'invalid-request');
      assert.equal(failure.nonRetryable, true);
      const [detail] = failure.details as readonly {
        readonly faults: readonly Readonly<Record<'field' | 'rule' | 'value', string>>[];
      }[];
      for (const [field, expected, value] of faults) {
        const fault = detail?.faults.find((one) => one.field === field);
        assert.ok(fault, `${field} is not in ${JSON.stringify(detail?.faults)}`);
        assert.match(fault.rule, expected);
        assert.equal(fault.value, value);
        assert.ok(failure.message.includes(`${field} ${fault.rule}`), failure.message);
      }
      const { events = [] } = await handle.fetchHistory();
      const count = (key: keyof NonNullable<typeof events>[number]): number =>
        events?.filter((event) => event[key]).length ?? 0;
      assert.equal(count('activityTaskScheduledEventAttributes'), 0);
      assert.equal(count('workflowTaskFailedEventAttributes'), 0);
      assert.equal(count('workflowTaskCompletedEventAttributes'), 1);
    });
  }

  it('is refused before its start by a client that knows the tools', async () => {
    const workflowId = rig.id('refused');
    const task = { steps: [{ ...rule, tool: 'fly' }, refers('b', 'nobody')] };
    await assert.rejects(
      rig.client.workflow.start('agentTask', {
        taskQueue: rig.taskQueue,
        workflowId,
        args: [task],
      }),
      (error: unknown) => {
        assert.ok(error instanceof InvalidRequestError);
        assert.deepEqual(
          error.faults.map(({ field }) => field),
          ['task.steps.0.tool', 'task.steps.1.input.city.$ref'],
        );
        return true;
      },
    );
    await assert.rejects(
      rig.client.workflow.getHandle(workflowId).describe(),
      WorkflowNotFoundError,
    );
  });
});
