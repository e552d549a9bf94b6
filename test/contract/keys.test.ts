import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fingerprint, idempotencyKey, type KeyParts } from 'holdfast/contract';
import { faultsOf } from './faults.js';

const parts: KeyParts = {
  namespace: 'default',
  workflowId: 'ticket-17',
  tool: 'refund_order',
  identity: { orderId: 'ORD-1003', amountCents: 1_250 },
};

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function keyOf(identity: unknown): string {
  return idempotencyKey({ ...parts, identity });
}

describe('the key of an effect', () => {
  it('is the SHA-256 of the canonical JSON of its parts', () => {
    const text =
      '["default","ticket-17","refund_order",{"amountCents":1250,"orderId":"ORD-1003"},""]';
    assert.equal(idempotencyKey(parts), sha256(text));
  });

  it('stays the same from one release to the next', () => {
    const key = '47c7b19637714041fb3af459dc21e9128dd1bb9146355376646e7c0e648a0573';
    const dated = 'b16ac0c5d4df3bfcf534ba7bb3b847cad5769fdea714969bf4f5ad5cc88fb412';
    assert.equal(idempotencyKey(parts), key);
    assert.equal(idempotencyKey({ ...parts, occurrence: '2026-01-05' }), dated);
  });

  it('is 64 hex digits, whatever the identity', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (identity) => {
        assert.match(keyOf(identity), /^[0-9a-f]{64}$/);
      }),
    );
  });

  it('does not depend on the order in which keys were written', () => {
    assert.equal(keyOf({ a: 1, b: { c: 2, d: 3 } }), keyOf({ b: { d: 3, c: 2 }, a: 1 }));
  });

  it('is the same for an identity that went over the wire', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (identity) => {
        assert.equal(keyOf(identity), keyOf(JSON.parse(JSON.stringify(identity))));
      }),
    );
  });

  const changes: readonly (readonly [string, Partial<KeyParts>])[] = [
    ['another namespace', { namespace: 'other' }],
    ['another workflow', { workflowId: 'ticket-18' }],
    ['another tool', { tool: 'refund_orders' }],
    ['another identity', { identity: { orderId: 'ORD-1003', amountCents: 1_251 } }],
    ['a number instead of a text', { identity: { orderId: 'ORD-1003', amountCents: '1250' } }],
    ['another occurrence', { occurrence: '2' }],
    ['parts that only join to the same text', { namespace: 'defaultt', workflowId: 'icket-17' }],
  ];
  for (const [name, change] of changes) {
    it(`differs for ${name}`, () => {
      assert.notEqual(idempotencyKey({ ...parts, ...change }), idempotencyKey(parts));
    });
  }

  it('tells two equal calls apart where the caller says so, and only then', () => {
    const first = idempotencyKey({ ...parts, occurrence: 'first' });
    assert.notEqual(first, idempotencyKey({ ...parts, occurrence: 'second' }));
    assert.equal(first, idempotencyKey({ ...parts, occurrence: 'first' }));
    assert.equal(idempotencyKey(parts), idempotencyKey({ ...parts, occurrence: undefined }));
  });

  it('takes no identity and a null identity as the same', () => {
    assert.equal(keyOf(undefined), keyOf(null));
  });
});

/** Texts of RFC 8785: keys by UTF-16 units (3.2.3), numbers as ECMAScript writes them (3.2.2.3). */
const canonicalTexts: readonly (readonly [string, unknown, string])[] = [
  [
    'keys by UTF-16 code units',
    { '\ufb33': 1, '\ud83d\ude00': 2, '\u20ac': 3, '\r': 4 },
    '{"\\r":4,"€":3,"😀":2,"\ufb33":1}',
  ],
  [
    'numbers in their shortest form',
    [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27],
    '[333333333.3333333,1e+30,4.5,0.002,1e-27]',
  ],
  ['minus zero as zero', [-0], '[0]'],
  ['control characters escaped', ['\u000f\n"\\/'], '["\\u000f\\n\\"\\\\/"]'],
  ['text beyond ASCII as it is', ['ö 退款 😀'], '["ö 退款 😀"]'],
  ['fields that are undefined as absent', [{ a: undefined, b: 1 }], '[{"b":1}]'],
  ['nothing', [], '[]'],
];

describe('canonical JSON', () => {
  for (const [name, value, text] of canonicalTexts) {
    it(`writes ${name}`, () => {
      const args = Array.isArray(value) ? value : [value];
      assert.equal(fingerprint(args), sha256(Array.isArray(value) ? text : `[${text}]`));
    });
  }
});

class Secretive {
  readonly #orderId: string;
  constructor(orderId: string) {
    this.#orderId = orderId;
  }
  get orderId(): string {
    return this.#orderId;
  }
}

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

const notJson: Readonly<Record<string, unknown>> = {
  NaN: Number.NaN,
  Infinity: { amount: Number.POSITIVE_INFINITY },
  'a bigint': { amount: 10n },
  'a cycle': cyclic,
  'half of a surrogate pair': '\ud800',
  'a map': { lines: new Map([['a', 1]]) },
  'a set': new Set(['a']),
  'a function': { orderId: () => 'a' },
  'a symbol': [Symbol('a')],
  'an error': new Error('a'),
  'an object that keeps its fields to itself': new Secretive('ORD-1'),
};

describe('an identity that JSON would empty or refuse', () => {
  for (const [name, identity] of Object.entries(notJson)) {
    it(`makes no key: ${name}`, () => {
      const [fault] = faultsOf(() => keyOf(identity));
      assert.match(fault?.field ?? '', /^identity/);
      assert.equal(fault?.rule, 'must be JSON');
    });
  }

  it('makes no fingerprint either', () => {
    assert.equal(faultsOf(() => fingerprint([new Map()]))[0]?.field, 'arguments.0');
  });

  it('says where in it the fault is, also where reading it throws', () => {
    const inside = faultsOf(() => keyOf({ lines: [{ amount: 1 }, { amount: 10n }] }));
    assert.deepEqual([inside[0]?.field, inside[0]?.value], ['identity.lines.1.amount', 10n]);
    const thrower = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw new Error('not read');
      },
    });
    const outside = faultsOf(() => keyOf(thrower));
    assert.deepEqual([outside[0]?.field, outside[0]?.value], ['identity', 'not read']);
  });
});
