import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  assertNever,
  BreakerOpenError,
  HoldfastError,
  InvalidRequestError,
  showValue,
  throwFaults,
} from '../../src/budget/index.js';

const fault = { field: 'budget', rule: 'must be a positive integer', value: -1 };

describe('InvalidRequestError', () => {
  it('is a HoldfastError with kind and code', () => {
    const error = new InvalidRequestError([fault]);
    assert.ok(error instanceof HoldfastError && error instanceof Error);
    assert.deepEqual([error.kind, error.code], ['invalid-request', 'invalid-request']);
  });

  it('lists every fault in its message', () => {
    const error = new InvalidRequestError([fault, { ...fault, field: 'calls', value: undefined }]);
    assert.equal(
      error.message,
      'budget must be a positive integer, got -1; calls must be a positive integer, got undefined',
    );
  });
});

describe('throwFaults', () => {
  it('returns for an empty list', () => assert.equal(throwFaults([]), undefined));

  it('throws every fault of a list at once', () => {
    const faults = [fault, { ...fault, field: 'calls' }];
    assert.throws(() => throwFaults(faults), { field: 'budget', faults });
  });
});

describe('BreakerOpenError', () => {
  it('says what is open and when it probes', () => {
    assert.deepEqual(
      [new BreakerOpenError('orders', 2).message, new BreakerOpenError('orders', 0).message],
      [
        'The breaker for orders is open; it probes after 2 more calls.',
        'The breaker for orders is open; the next call probes.',
      ],
    );
  });

  it('has its facts as fields', () => {
    const { kind, downstream, rejectionsLeft } = new BreakerOpenError('orders', 2);
    assert.deepEqual([kind, downstream, rejectionsLeft], ['breaker-open', 'orders', 2]);
  });
});

describe('assertNever', () => {
  it('throws where data brings an alternative that the types lack', () => {
    // Only data from outside gets here: the compiler refuses the call otherwise.
    assert.throws(() => assertNever('odd' as never), TypeError);
  });
});

describe('showValue', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const list: unknown[] = [];
  list.push(list);
  const rows: readonly (readonly [string, unknown, string])[] = [
    ['NaN', Number.NaN, 'NaN'],
    ['-0', -0, '-0'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a bigint', 5n, '5n'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a function', () => 1, 'a function'],
    ['a text', 'a "b"', '"a \\"b\\""'],
    ['an object', { a: 1 }, '{"a":1}'],
    ['a bigint inside', { a: 5n }, 'an object'],
    ['a cycle', cycle, 'an object'],
    ['a cyclic list', list, 'a list'],
    ['a toJSON without a value', { toJSON: () => undefined }, 'an object'],
  ];
  for (const [name, value, text] of rows) {
    it(`shows ${name}`, () => assert.equal(showValue(value), text));
  }

  it('cuts a long text', () => {
    const shown = showValue('x'.repeat(1_000_000));
    assert.deepEqual([shown.length, shown.at(-1)], [60, '…']);
  });

  it('survives a getter that throws', () => {
    const broken = {
      get field(): never {
        throw new Error('broken');
      },
    };
    assert.equal(showValue(broken), 'an object');
  });

  it('is short and throws nothing, for any value', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (value) => {
        assert.ok(showValue(value).length <= 60);
      }),
    );
  });
});
