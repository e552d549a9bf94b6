import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultsOf, linesOf } from './faults.js';
import { check, first, paying } from './task-fixture.js';

/** Places that the look-up's output can have. */
const possible = [
  'first',
  'first#',
  'first#/order/id',
  'first#/items/0/sku',
  'first#/items/17',
  'first#/pair/1',
  'first#/pairs/0',
  'first#/pairs/5/rest',
  'first#/refund/refundId',
  'first#/either/a',
  'first#/either/b',
  'first#/both/left',
  'first#/both/right',
  'first#/prices/kettle',
  'first#/extra/whatever/deep',
  'first#/anything/at/all',
  'first#/json/0/a',
  'first#/note',
  'first#/maybe/deep',
  'first#/thread/replies/0/replies/3/text',
  'first#/named/label',
  'first#/a~1b',
  'first#/m~0n',
];

/** Places that it can never have. */
const impossible = [
  'first#/orders',
  'first#/',
  'first#/order/id/0',
  'first#/order/totalCents/x',
  'first#/items/-',
  'first#/items/00',
  'first#/items/1e1',
  'first#/items/sku',
  'first#/items/length',
  'first#/pair/2',
  'first#/pairs/5/other',
  'first#/refund/other',
  'first#/either/c',
  'first#/both/middle',
  'first#/prices/kettle/cents',
  'first#/state/length',
  'first#/note/text',
  'first#/maybe/shallow',
  'first#/thread/replies/0/author',
  'first#/named/name',
  'first#/a/b',
  'first#/m~1n',
  'first#/__proto__',
  'first#/order/constructor',
  'first#/items/0/toString',
];

const broken: readonly unknown[] = [
  '',
  '#/order',
  'first#order',
  'first#/~2',
  'first#/a~',
  7,
  null,
  {},
];

function useOf(reference: unknown): unknown {
  return check(first, paying({ orderId: { $ref: reference } }));
}

describe('a reference to an earlier step', () => {
  for (const reference of possible) {
    it(`is taken where its output can have the place: ${reference}`, () => {
      assert.doesNotThrow(() => useOf(reference));
    });
  }

  for (const reference of impossible) {
    it(`is refused where no output can have it: ${reference}`, () => {
      const faults = faultsOf(() => useOf(reference));
      assert.deepEqual(linesOf(faults), [
        'task.steps.1.input.orderId.$ref must point at something that look_up returns',
      ]);
      assert.equal(faults[0]?.value, reference);
    });
  }

  it('may point into a step whose tool is unknown: that is a fault of its own', () => {
    const faults = faultsOf(() =>
      check({ ...first, tool: 'lookup' }, paying({ orderId: { $ref: 'first#/x' } })),
    );
    assert.deepEqual(
      faults.map(({ field }) => field),
      ['task.steps.0.tool'],
    );
  });
});

describe('a reference that is refused', () => {
  for (const reference of broken) {
    it(`is written wrongly: ${JSON.stringify(reference)}`, () => {
      assert.deepEqual(linesOf(faultsOf(() => useOf(reference))), [
        'task.steps.1.input.orderId.$ref must be "stepId" or "stepId#/json/pointer"',
      ]);
    });
  }

  it('names no step of the task', () => {
    assert.deepEqual(linesOf(faultsOf(() => useOf('nobody#/order'))), [
      'task.steps.1.input.orderId.$ref must name a step of the task',
    ]);
  });

  for (const [name, step] of [
    ['its own step', 'second'],
    ['a later step', 'third'],
  ]) {
    it(`names ${name}`, () => {
      const use = paying({ orderId: { $ref: `${step}#/refundId` } });
      const third = { id: 'third', tool: 'pay', input: { orderId: 'a', amountCents: 1 } };
      assert.deepEqual(linesOf(faultsOf(() => check(first, use, third))), [
        'task.steps.1.input.orderId.$ref must name an earlier step, not this or a later one',
      ]);
    });
  }

  it('stands in a fallback and names its own step', () => {
    const fallback = { tool: 'say', input: { text: { $ref: 'first#/order/id' } } };
    assert.deepEqual(linesOf(faultsOf(() => check({ ...first, fallback }))), [
      'task.steps.0.fallback.input.text.$ref must name an earlier step, not this or a later one',
    ]);
  });
});

describe('the undo of a step', () => {
  const undoing = (input: unknown, tool = 'say'): (() => unknown) => {
    const compensate = { tool, input };
    return () => check({ ...first, compensate }, paying({}));
  };

  it('may take an answer of the step itself', () => {
    assert.doesNotThrow(undoing({ text: { $ref: 'first#/order/id' } }));
  });

  it('takes the step’s own input where it has none', () => {
    const compensate = { tool: 'look_up' };
    assert.doesNotThrow(() => check({ ...first, compensate }));
  });

  const rows: readonly (readonly [name: string, run: () => unknown, line: string])[] = [
    [
      'a later step',
      undoing({ text: { $ref: 'second#/refundId' } }),
      'task.steps.0.compensate.input.text.$ref must name an earlier step, not a later one',
    ],
    [
      'what its own tool never returns',
      undoing({ text: { $ref: 'first#/nothing' } }),
      'task.steps.0.compensate.input.text.$ref must point at something that look_up returns',
    ],
    [
      'an unknown tool',
      undoing({ text: 'x' }, 'shout'),
      'task.steps.0.compensate.tool must be one of the tools look_up, pay, say',
    ],
    [
      'a wrong input',
      undoing({ text: 7 }),
      'task.steps.0.compensate.input.text Invalid input: expected string, received number',
    ],
    [
      'a field that doesn’t exist',
      () => check({ ...first, compensate: { tool: 'say', input: { text: 'x' }, when: 1 } }),
      'task.steps.0.compensate Unrecognized key: "when"',
    ],
  ];
  for (const [name, run, line] of rows) {
    it(`may not have ${name}`, () => {
      assert.deepEqual(linesOf(faultsOf(run)), [line]);
    });
  }

  it('is checked in a task that has other faults as well', () => {
    const compensate = { tool: 'shout', input: {} };
    const task = { ...first, compensate, extra: 1 };
    assert.ok(
      linesOf(faultsOf(() => check(task))).some((line) => line.includes('compensate.tool')),
    );
  });
});

describe('an input with references', () => {
  it('may be one reference as a whole', () => {
    assert.doesNotThrow(() =>
      check(first, { id: 'b', tool: 'pay', input: { $ref: 'first#/anything' } }),
    );
  });

  it('may have them in a list, whose other entries are checked', () => {
    const reference = { $ref: 'first#/order/id' };
    assert.doesNotThrow(() => check(first, paying({ tags: ['a', reference] })));
    assert.deepEqual(linesOf(faultsOf(() => check(first, paying({ tags: [reference, 5] })))), [
      'task.steps.1.input.tags.1 Invalid input: expected string, received number',
    ]);
  });

  it('may have them in a union', () => {
    const iban = { $ref: 'first#/order/id' };
    assert.doesNotThrow(() => check(first, paying({ to: { iban } })));
    assert.doesNotThrow(() => check(first, paying({ to: iban })));
  });

  it('is still refused for a field that a strict object lacks', () => {
    const reference = { $ref: 'first#/order/id' };
    assert.deepEqual(linesOf(faultsOf(() => check(first, paying({ who: reference })))), [
      'task.steps.1.input Unrecognized key: "who"',
    ]);
  });

  it('is still refused for what stands beside them', () => {
    const input = { orderId: { $ref: 'first#/order/id' }, amountCents: -5 };
    assert.deepEqual(linesOf(faultsOf(() => check(first, paying(input)))), [
      'task.steps.1.input.amountCents Too small: expected number to be >0',
    ]);
  });

  it('takes an object with more keys than $ref for a value', () => {
    const faults = faultsOf(() => check(first, paying({ orderId: { $ref: 'first', x: 1 } })));
    assert.deepEqual(linesOf(faults), [
      'task.steps.1.input.orderId Invalid input: expected string, received object',
    ]);
  });
});
