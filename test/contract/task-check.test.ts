import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkTask, defineTool } from 'holdfast/contract';
import { z } from 'zod';
import { faultsOf, linesOf } from './faults.js';
import { check, first, paying, tools } from './task-fixture.js';

describe('a task that is right', () => {
  it('is returned as it was written, without defaults', () => {
    const task = {
      steps: [
        first,
        { ...paying({ tags: ['a'] }), required: false, fallback: { value: { refundId: 'none' } } },
        { id: 'a.b_c-1', tool: 'say', input: { text: 'hi' }, fallback: { text: 'busy' } },
      ],
      tenant: 'acme',
      deadlineMs: 1_000,
    };
    assert.deepEqual(checkTask(task, tools), task);
  });

  it('may fall back to another tool, with its own input or the step’s', () => {
    assert.doesNotThrow(() =>
      check(
        { ...first, fallback: { tool: 'look_up' } },
        {
          ...paying({}),
          fallback: { tool: 'say', input: { text: { $ref: 'first#/order/id' } } },
        },
      ),
    );
  });

  it('may name a step like a property of every object', () => {
    assert.doesNotThrow(() =>
      check(
        { ...first, id: '__proto__' },
        { ...first, id: 'constructor' },
        {
          id: 'last',
          tool: 'say',
          input: { text: { $ref: '__proto__#/order/id' } },
        },
      ),
    );
  });
});

const wrong: readonly (readonly [name: string, task: unknown, line: string, value: unknown])[] = [
  ['nothing', undefined, 'task Invalid input: expected object, received undefined', undefined],
  ['null', null, 'task Invalid input: expected object, received null', null],
  ['a list', [], 'task Invalid input: expected object, received array', []],
  ['no steps', {}, 'task.steps Invalid input: expected array, received undefined', undefined],
  ['an empty list of steps', { steps: [] }, 'task.steps must hold at least one step', []],
  [
    'a step that is none',
    { steps: [5] },
    'task.steps.0 Invalid input: expected object, received number',
    5,
  ],
  [
    'an unknown field',
    { steps: [first], retries: 3 },
    'task Unrecognized key: "retries"',
    'retries',
  ],
  [
    'an unknown field of a step',
    { steps: [{ ...first, retry: 1 }] },
    'task.steps.0 Unrecognized key: "retry"',
    'retry',
  ],
  [
    'a blank id',
    { steps: [{ ...first, id: '' }] },
    'task.steps.0.id must match ^[a-zA-Z0-9_.-]{1,64}$',
    '',
  ],
  [
    'an id with a hash',
    { steps: [{ ...first, id: 'a#b' }] },
    'task.steps.0.id must match ^[a-zA-Z0-9_.-]{1,64}$',
    'a#b',
  ],
  [
    'an unknown tool',
    { steps: [{ ...first, tool: 'lookup' }] },
    'task.steps.0.tool must be one of the tools look_up, pay, say',
    'lookup',
  ],
  [
    'a tool named like a property of every object',
    { steps: [{ ...first, tool: '__proto__' }] },
    'task.steps.0.tool must be one of the tools look_up, pay, say',
    '__proto__',
  ],
  [
    'a wrong input',
    { steps: [{ ...first, input: { orderId: 7 } }] },
    'task.steps.0.input.orderId Invalid input: expected string, received number',
    7,
  ],
  [
    'no input',
    { steps: [{ id: 'a', tool: 'look_up' }] },
    'task.steps.0.input Invalid input: expected object, received undefined',
    undefined,
  ],
  [
    'a field too much in an input',
    { steps: [{ ...first, input: { orderId: 'a', b: 1 } }] },
    'task.steps.0.input Unrecognized key: "b"',
    'b',
  ],
  [
    'a repeated id',
    { steps: [first, first] },
    'task.steps.1.id must differ from the ids of earlier steps',
    'first',
  ],
  [
    'a deadline of 0',
    { steps: [first], deadlineMs: 0 },
    'task.deadlineMs Too small: expected number to be >0',
    0,
  ],
  [
    'a negative deadline',
    { steps: [first], deadlineMs: -1 },
    'task.deadlineMs Too small: expected number to be >0',
    -1,
  ],
  [
    'a blank tenant',
    { steps: [first], tenant: '' },
    'task.tenant Too small: expected string to have >=1 characters',
    '',
  ],
  [
    'a fallback of two kinds',
    { steps: [{ ...first, fallback: { text: 'a', value: 1 } }] },
    'task.steps.0.fallback must be {"value": …}, {"text": "…"}, {"truncate": {"field": "…", "characters"?: …}}, ' +
      '{"tool": "…", "input"?: …} or {"disabled": "…"}, or a list of these',
    { text: 'a', value: 1 },
  ],
  [
    'a fallback value that the output refuses',
    { steps: [{ ...paying({}), fallback: { value: { refundId: 7 } } }] },
    'task.steps.0.fallback.value.refundId Invalid input: expected string, received number',
    7,
  ],
  [
    'a fallback text that the output refuses',
    { steps: [{ ...paying({}), fallback: { text: 'a' } }] },
    'task.steps.0.fallback.text must suit the output of pay: a text needs an output that is a string or an object with `text`',
    'a',
  ],
  [
    'a fallback to an unknown tool',
    { steps: [{ ...first, fallback: { tool: 'shout' } }] },
    'task.steps.0.fallback.tool must be one of the tools look_up, pay, say',
    'shout',
  ],
  [
    'a fallback tool that refuses the step’s input',
    { steps: [{ ...first, fallback: { tool: 'say' } }] },
    'task.steps.0.fallback.input.text Invalid input: expected string, received undefined',
    undefined,
  ],
];

describe('a task that is wrong', () => {
  for (const [name, task, line, value] of wrong) {
    it(`is refused with place, rule and value: ${name}`, () => {
      const faults = faultsOf(() => checkTask(task, tools));
      assert.deepEqual(linesOf(faults), [line]);
      assert.deepEqual(faults[0]?.value, value);
    });
  }

  it('is refused with every fault at once', () => {
    const steps = [
      { id: 'a', tool: 'lookup', input: { orderId: { $ref: 'nobody' } } },
      { id: 'a', tool: 'look_up', input: { orderId: 1 } },
      { ...paying({ amountCents: 0, tags: [] }), fallback: { value: 3 } },
      { id: 'd', tool: 'say', input: { text: 'x' }, fallback: { tool: 'shout' } },
    ];
    assert.deepEqual(
      faultsOf(() => check(...steps)).map(({ field }) => field),
      [
        'task.steps.0.tool',
        'task.steps.0.input.orderId.$ref',
        'task.steps.1.id',
        'task.steps.1.input.orderId',
        'task.steps.2.input.amountCents',
        'task.steps.2.input.tags',
        'task.steps.2.fallback.value',
        'task.steps.3.fallback.tool',
      ],
    );
  });

  it('hides no fault behind a wrong shape', () => {
    const task = {
      steps: [
        { id: 'a', tool: 'lookup', input: {}, retry: 1 },
        'no step',
        { id: 'b c', tool: 'look_up', input: { orderId: { $ref: 'd' } } },
        { id: 'd', tool: 'say', input: { text: 1 }, fallback: {} },
      ],
      deadline: 3,
    };
    const places = faultsOf(() => checkTask(task, tools)).map(({ field }) => field);
    assert.deepEqual(places.sort(), [
      'task',
      'task.steps.0',
      'task.steps.0.tool',
      'task.steps.1',
      'task.steps.2.id',
      'task.steps.2.input.orderId.$ref',
      'task.steps.3.fallback',
      'task.steps.3.input.text',
    ]);
  });

  it('is refused where it is nested too deeply to be walked', () => {
    const nested: unknown = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
    const faults = faultsOf(() => check({ ...first, input: nested }));
    assert.deepEqual(linesOf(faults), ['task must not be nested more than 200 levels deep']);
  });

  it('is refused where a tool’s own check of its input can’t be made at once', () => {
    const later = defineTool({
      name: 'later',
      description: 'Is checked later',
      input: z.object({}).refine(async () => true),
      output: z.object({}),
      effect: 'read',
      downstream: 'orders',
    });
    const step = { id: 'a', tool: 'later', input: {} };
    const [fault] = faultsOf(() => checkTask({ steps: [step] }, [later]));
    assert.equal(fault?.field, 'task.steps.0.input');
    assert.match(String(fault?.rule), /^must be checkable by later: .*Promise/);
  });

  it('is refused where it holds itself', () => {
    const input: Record<string, unknown> = { orderId: 'a' };
    input.self = input;
    input.twin = input;
    assert.equal(faultsOf(() => check({ ...first, input })).length, 1);
  });
});
