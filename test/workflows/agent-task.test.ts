import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type RunReport, TASK_FAILED } from 'holdfast/contract';
import { failureOf } from '../support/failure-of.js';
import { startTaskRig, type TaskRig } from '../support/task-rig.js';

let rig: TaskRig;
before(async () => {
  rig = await startTaskRig();
});
after(() => rig.stop());

const broken = { failures: 9 };

describe('references between steps', () => {
  it('take parts, list items, odd keys and whole outputs of earlier steps', async () => {
    const result = await rig.result({
      steps: [
        { id: 'find', tool: 'find_orders', input: { customer: 'Ada' } },
        {
          id: 'sum',
          tool: 'summarise',
          input: {
            city: { $ref: 'find#/customer/address/city' },
            ids: [{ $ref: 'find#/orders/1/id' }, 'fixed', { $ref: 'find#/orders/0/id' }],
            any: { odd: { $ref: 'find#/odd~1key~0' }, deep: [{ whole: { $ref: 'find' } }] },
          },
        },
        { id: 'again', tool: 'summarise', input: { any: { $ref: 'sum#/input/any/odd' } } },
      ],
    });
    assert.equal(result.kind, 'ok');
    assert.equal(result.degraded, false);
    const [found, summed, again] = result.steps;
    assert.deepEqual(summed?.value, {
      text: 'summed up',
      input: {
        city: 'Ghent',
        ids: ['order-2', 'fixed', 'order-1'],
        any: { odd: true, deep: [{ whole: found?.value }] },
      },
    });
    assert.deepEqual(again?.value, { text: 'summed up', input: { any: true } });
  });

  it('refuse a step whose source found less than the step takes', async () => {
    const failure = await failureOf(
      await rig.start({
        steps: [
          { id: 'find', tool: 'find_orders', input: { customer: 'Ada', found: 1 } },
          { id: 'sum', tool: 'summarise', input: { ids: [{ $ref: 'find#/orders/1/id' }] } },
        ],
      }),
    );
    assert.match(
      failure.message,
      /^Step sum \(summarise\) got no answer .*find#\/orders\/1\/id.* step find has nothing there/,
    );
  });

  it('refuse a step whose source brings a value of a wrong type, before it is scheduled', async () => {
    const result = await rig.result({
      steps: [
        { id: 'first', tool: 'summarise', input: { any: 7 } },
        {
          id: 'second',
          tool: 'summarise',
          input: { city: { $ref: 'first#/input/any' } },
          required: false,
        },
      ],
    });
    assert.equal(result.kind, 'partial');
    assert.equal(result.steps[1]?.kind, 'failed');
    assert.equal(result.report.lines[1]?.attempts, 0);
    assert.equal(result.report.lines[1]?.class, 'invalid-request');
  });
});

describe('a task with an optional step', () => {
  it('ends partial when that step got no answer, and runs the others', async () => {
    const result = await rig.result({
      steps: [
        { id: 'find', tool: 'find_orders', input: { customer: 'Ada', ...broken }, required: false },
        { id: 'sum', tool: 'summarise' },
      ].map((step) => ({ input: {}, ...step })),
    });
    assert.equal(result.kind, 'partial');
    assert.deepEqual(
      result.steps.map(({ id, kind }) => [id, kind]),
      [
        ['find', 'exhausted'],
        ['sum', 'ok'],
      ],
    );
    assert.equal('value' in (result.steps[0] ?? {}), false);
  });

  it('refuses a later step that needs its answer, and says whose answer is missing', async () => {
    const failure = await failureOf(
      await rig.start({
        steps: [
          {
            id: 'find',
            tool: 'find_orders',
            input: { customer: 'Ada', ...broken },
            required: false,
          },
          { id: 'sum', tool: 'summarise', input: { city: { $ref: 'find#/customer/name' } } },
        ],
      }),
    );
    assert.equal(
      failure.message,
      'Step sum (summarise) got no answer (failed: not-retryable): ' +
        'Its input needs find#/customer/name, but step find got no answer.',
    );
  });
});

describe('a task whose required step got no answer', () => {
  it('fails with the whole report and the step that failed', async () => {
    const failure = await failureOf(
      await rig.start({
        tenant: 'one',
        steps: [
          { id: 'find', tool: 'find_orders', input: { customer: 'Ada' } },
          { id: 'sum', tool: 'summarise', input: broken },
          { id: 'last', tool: 'answer_by_rule', input: {} },
        ],
      }),
    );
    assert.equal(failure.type, TASK_FAILED);
    assert.equal(failure.nonRetryable, true);
    const [detail] = failure.details as readonly (RunReport & {
      readonly failedStep: string;
      readonly failure: Readonly<Record<string, unknown>>;
    })[];
    assert.equal(detail?.failedStep, 'sum');
    assert.deepEqual(
      detail?.lines.map(({ step, kind, attempts }) => [step, kind, attempts]),
      [
        ['find', 'ok', 1],
        ['sum', 'exhausted', 2],
      ],
    );
    assert.deepEqual(detail?.pool, { total: 1, spent: 1, reserved: 0 });
    assert.deepEqual(detail?.breakers.text, { kind: 'closed', failuresInARow: 2, generation: 0 });
    const { failure: own } = detail ?? {};
    assert.equal(own?.step, 'sum');
    assert.equal(own?.class, 'server');
    assert.equal(own?.reason, 'retry-budget');
    assert.equal(own?.attempts, 2);
  });
});

describe('a step’s own fallback', () => {
  const degrade = (fallback: object): object => ({
    tenant: 'none',
    steps: [
      { id: 'find', tool: 'find_orders', input: { customer: 'Ada' } },
      { id: 'sum', tool: 'summarise', input: { ...broken, city: 'Rome' }, fallback },
    ],
  });

  const answers: readonly (readonly [name: string, fallback: object, value: object])[] = [
    ['a value', { value: { text: 'closed', input: null } }, { text: 'closed', input: null }],
    ['a text', { text: 'We are busy.' }, { text: 'We are busy.' }],
    [
      'another tool, whose input takes an earlier output',
      { tool: 'answer_by_rule', input: { city: { $ref: 'find#/customer/address/city' } } },
      { text: 'by rule', input: { city: 'Ghent' } },
    ],
  ];
  for (const [name, fallback, value] of answers) {
    it(`degrades the task by ${name}`, async () => {
      const result = await rig.result(degrade(fallback));
      assert.equal(result.kind, 'ok');
      assert.equal(result.degraded, true);
      assert.equal(result.steps[1]?.kind, 'degraded');
      assert.deepEqual(result.steps[1]?.value, value);
      assert.equal(result.report.counts.degraded, 1);
      assert.equal(result.report.counts.exhausted, 0);
    });
  }

  it('hands the step’s own input to another tool that is given none', async () => {
    const result = await rig.result({
      tenant: 'none',
      steps: [
        {
          id: 'sum',
          tool: 'summarise',
          input: { city: 'Rome', failures: 1 },
          fallback: { tool: 'answer_by_rule', input: { city: 'Rome' } },
        },
      ],
    });
    assert.deepEqual(result.steps[0]?.value, { text: 'by rule', input: { city: 'Rome' } });
  });

  it('is no answer where it fails as well', async () => {
    const failure = await failureOf(
      await rig.start(degrade({ tool: 'answer_by_rule', input: broken })),
    );
    assert.match(failure.message, /^Step sum \(summarise\) got no answer/);
  });
});
