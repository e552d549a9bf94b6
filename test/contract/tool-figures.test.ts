import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineTool } from 'holdfast/contract';
import { z } from 'zod';
import { faultsOf } from './faults.js';

const input = z.object({ orderId: z.string() });
const output = z.object({ refundId: z.string() });
const base = {
  name: 'refund_order',
  description: 'Pay back an order',
  input,
  output,
  effect: 'idempotent-write',
  downstream: 'orders',
} as const;

/** Defines a tool whose fields may be wrong in ways that types would refuse. */
function define(fields: Readonly<Record<string, unknown>>): unknown {
  // Stands for a program without types.
  return defineTool({ ...base, ...fields } as typeof base);
}

describe('the name of a tool', () => {
  for (const name of ['a', 'A-1_z', '0', '-', 'x'.repeat(64)]) {
    it(`may be ${name.slice(0, 8)}, ${name.length} characters`, () => {
      assert.doesNotThrow(() => define({ name }));
    });
  }

  const names: readonly unknown[] = [
    '',
    'x'.repeat(65),
    'two words',
    'a.b',
    'a/b',
    'naïve',
    'a\n',
    '工具',
    undefined,
    7,
  ];
  for (const name of names) {
    it(`may not be ${JSON.stringify(name)?.slice(0, 20)}`, () => {
      const [fault] = faultsOf(() => define({ name }));
      assert.equal(fault?.rule, 'must match ^[a-zA-Z0-9_-]{1,64}$');
      assert.equal(fault?.value, name);
    });
  }
});

const outOfRange: readonly (readonly [field: string, values: readonly unknown[]])[] = [
  ['estimate.failureRate', [-0.01, 1, 1.5, Number.NaN, '0.1']],
  ['estimate.attemptCostMicros', [-1, 0.5, Number.POSITIVE_INFINITY, Number.NaN]],
  ['estimate.latencyMs', [-1, Number.POSITIVE_INFINITY, Number.NaN]],
  ['maxRetries', [-1, 0.5, Number.POSITIVE_INFINITY, '2']],
  ['expectedCalls', [-1, 1.5, Number.NaN]],
  ['attemptTimeoutMs', [0, -1, Number.POSITIVE_INFINITY, Number.NaN, '3 s']],
  ['keyWindowMs', [0, -1, 1.5, Number.POSITIVE_INFINITY, Number.NaN, '1 day']],
  ['heartbeatTimeoutMs', [0, -1, Number.NaN]],
  ['approval.timeoutMs', [0, -1, undefined]],
  ['effect', ['delete', undefined]],
  ['downstream', ['', '  ', 7]],
  ['description', ['', undefined]],
  ['required', ['yes', 1]],
  ['taskQueue', ['', 1]],
];

describe('a figure of a tool', () => {
  for (const [field, values] of outOfRange) {
    it(`is refused out of its range: ${field}`, () => {
      for (const value of values) {
        const [group, name] = field.split('.');
        const fields =
          name === undefined ? { [field]: value } : { [String(group)]: { [name]: value } };
        const [fault, ...others] = faultsOf(() => define(fields));
        assert.equal(fault?.field, `tools.refund_order.${field}`);
        assert.ok(Object.is(fault?.value, value));
        assert.deepEqual(others, []);
      }
    });
  }

  it('is no condition of an approval: that is a function', () => {
    const approval = { timeoutMs: 1, when: true } as unknown as { timeoutMs: number };
    const [fault] = faultsOf(() => define({ approval }));
    assert.equal(fault?.field, 'tools.refund_order.approval.when');
    assert.equal(fault?.value, true);
  });

  it('takes its default where it is undefined', () => {
    const tool = defineTool({
      ...base,
      // A program without exact optional types can say so.
      estimate: { failureRate: undefined, latencyMs: 7 } as unknown as { latencyMs: number },
    });
    assert.deepEqual(tool.estimate, { failureRate: 0.02, attemptCostMicros: 0, latencyMs: 7 });
  });

  it('is listed with every other fault of the tool', () => {
    const fields = {
      name: 'refund order',
      downstream: '',
      maxRetries: -1,
      estimate: { failureRate: 1.5 },
      output: z.date(),
    };
    const faults = faultsOf(() => define(fields)).map(({ field }) => field);
    assert.deepEqual(faults, [
      'tools.refund order.name',
      'tools.refund order.downstream',
      'tools.refund order.estimate.failureRate',
      'tools.refund order.maxRetries',
      'tools.refund order.output',
    ]);
  });
});

describe('a tool that says little', () => {
  const tool = defineTool(base);

  it('has two retries, ten seconds an attempt, one expected call, and is required', () => {
    const { maxRetries, attemptTimeoutMs, expectedCalls, required } = tool;
    assert.deepEqual(
      { maxRetries, attemptTimeoutMs, expectedCalls, required },
      { maxRetries: 2, attemptTimeoutMs: 10_000, expectedCalls: 1, required: true },
    );
  });

  it('heartbeats from 30 seconds an attempt on', () => {
    assert.equal(tool.heartbeatTimeoutMs, undefined);
    assert.equal(defineTool({ ...base, attemptTimeoutMs: 29_999 }).heartbeatTimeoutMs, undefined);
    assert.equal(defineTool({ ...base, attemptTimeoutMs: 30_000 }).heartbeatTimeoutMs, 15_000);
  });
});

describe('the fallback of a tool', () => {
  it('may be a value of the output', () => {
    assert.doesNotThrow(() => defineTool({ ...base, fallback: { value: { refundId: 'none' } } }));
  });

  it('may not be a value that the output refuses', () => {
    const [fault] = faultsOf(() => define({ fallback: { value: { refundId: 7 } } }));
    assert.equal(fault?.field, 'tools.refund_order.fallback.value');
  });

  it('may be a text where the output is a text, or an object with a text', () => {
    const fallback = { text: 'We call you back.' };
    assert.doesNotThrow(() => defineTool({ ...base, output: z.string(), fallback }));
    assert.doesNotThrow(() =>
      defineTool({ ...base, output: z.object({ text: z.string() }), fallback }),
    );
  });

  it('may not be a text where the output takes none', () => {
    const [fault] = faultsOf(() => define({ fallback: { text: 'We call you back.' } }));
    assert.equal(fault?.field, 'tools.refund_order.fallback.text');
    assert.equal(fault?.value, 'We call you back.');
  });

  it('may be another tool', () => {
    const other = defineTool({ ...base, name: 'other' });
    assert.doesNotThrow(() => defineTool({ ...base, fallback: { tool: other } }));
  });
});

describe('the compensation of a tool', () => {
  const other = defineTool({ ...base, name: 'other' });
  const rows: readonly (readonly [name: string, compensate: unknown, fields: readonly string[]])[] =
    [
      ['that is a tool', other, ['compensate.tool', 'compensate.input']],
      ['that is a text', 'other', ['compensate']],
      ['that only names a tool', { tool: 'other', input: () => ({}) }, ['compensate.tool']],
      ['without a function', { tool: other, input: {} }, ['compensate.input']],
    ];
  for (const [name, compensate, fields] of rows) {
    it(`is refused: one ${name}`, () => {
      assert.deepEqual(
        faultsOf(() => define({ compensate })).map(({ field }) => field),
        fields.map((field) => `tools.refund_order.${field}`),
      );
    });
  }

  it('may be a tool and what makes its input', () => {
    const input = (): object => ({ orderId: 'ORD-1' });
    assert.doesNotThrow(() => define({ compensate: { tool: other, input } }));
  });
});

describe('a tool’s fields', () => {
  const rows: readonly (readonly [
    name: string,
    fields: Readonly<Record<string, unknown>>,
    field: string,
  ])[] = [
    ['that don’t exist', { timeout: 5 }, 'tools.refund_order.timeout'],
    ['a fallback that is a text', { fallback: 'later' }, 'tools.refund_order.fallback'],
    ['a fallback of no kind', { fallback: { values: {} } }, 'tools.refund_order.fallback'],
    [
      'a fallback that only names a tool',
      { fallback: { tool: 'x' } },
      'tools.refund_order.fallback.tool',
    ],
  ];
  for (const [name, fields, field] of rows) {
    it(`are refused: ${name}`, () => {
      assert.equal(faultsOf(() => define(fields))[0]?.field, field);
    });
  }
});
