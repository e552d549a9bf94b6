import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  findReferences,
  isReference,
  parseReference,
  resolveReferences,
} from '../../src/contract/reference.js';

const readable: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  order: ['order', []],
  'order#': ['order', []],
  'order#/': ['order', ['']],
  'order#/a/b': ['order', ['a', 'b']],
  'order#/items/0/sku': ['order', ['items', '0', 'sku']],
  // RFC 6901, section 4: ~1 first, then ~0, so ~01 is ~1 and no slash.
  'order#/a~1b': ['order', ['a/b']],
  'order#/m~0n': ['order', ['m~n']],
  'order#/~01': ['order', ['~1']],
  'order#/ ': ['order', [' ']],
  'order#/c%d': ['order', ['c%d']],
  'order#/a#b': ['order', ['a#b']],
  'order#/__proto__': ['order', ['__proto__']],
};

const unreadable: readonly unknown[] = [
  '',
  '#',
  '#/a',
  'order#a',
  'order#/~',
  'order#/~2',
  'order#/a~',
  7,
  null,
  undefined,
  {},
];

describe('the text of a reference', () => {
  for (const [text, [step, tokens]] of Object.entries(readable)) {
    it(`names a step and a place: ${text}`, () => {
      assert.deepEqual(parseReference(text), { step, tokens });
    });
  }

  for (const text of unreadable) {
    it(`is refused where it isn't well formed: ${JSON.stringify(text)}`, () => {
      assert.equal(parseReference(text), undefined);
    });
  }
});

describe('a reference', () => {
  it('is an object whose only key is $ref', () => {
    assert.ok(isReference({ $ref: 'a' }));
    for (const value of [
      { $ref: 'a', b: 1 },
      {},
      null,
      'a',
      ['$ref'],
      Object.create({ $ref: 'a' }),
    ]) {
      assert.ok(!isReference(value));
    }
  });

  it('is found in objects, in lists and at the top', () => {
    const input = { a: { $ref: 'x' }, b: [1, { c: { $ref: 'y#/z' } }] };
    assert.deepEqual(findReferences(input), [
      { path: ['a'], text: 'x' },
      { path: ['b', '1', 'c'], text: 'y#/z' },
    ]);
    assert.deepEqual(findReferences({ $ref: 'x' }), [{ path: [], text: 'x' }]);
  });
});

const outputs = {
  order: {
    id: 'ORD-1',
    items: [{ sku: 'a' }, { sku: 'b' }],
    'a/b': 1,
    'm~n': 2,
    none: null,
    '': 3,
  },
  text: 'hello',
};

const leading: Readonly<Record<string, unknown>> = {
  order: outputs.order,
  'order#/id': 'ORD-1',
  'order#/items/1/sku': 'b',
  'order#/a~1b': 1,
  'order#/m~0n': 2,
  'order#/none': null,
  'order#/': 3,
  text: 'hello',
};

const dangling = [
  'order#/nothing',
  'order#/items/2',
  'order#/items/-',
  'order#/items/01',
  'order#/id/0',
  'order#/none/a',
  'text#/length',
  'text#/0',
  'order#/items/length',
  'order#/__proto__',
  'order#/constructor/name',
  'order#/items/map',
  'nobody',
  'toString',
  '__proto__',
  'order#id',
];

describe('resolving references', () => {
  for (const [text, value] of Object.entries(leading)) {
    it(`takes the earlier output: ${text}`, () => {
      assert.deepEqual(resolveReferences({ at: { $ref: text } }, outputs), {
        kind: 'resolved',
        value: { at: value },
      });
    });
  }

  for (const reference of dangling) {
    it(`says which reference leads nowhere: ${reference}`, () => {
      const input = { good: { $ref: 'text' }, at: [{ $ref: reference }] };
      assert.deepEqual(resolveReferences(input, outputs), { kind: 'dangling', reference });
    });
  }

  it('takes a whole input from a reference', () => {
    assert.deepEqual(resolveReferences({ $ref: 'order#/items' }, outputs), {
      kind: 'resolved',
      value: outputs.order.items,
    });
  });

  it('does not look for references inside the output it takes', () => {
    const found = resolveReferences(
      { $ref: 'model' },
      { model: { $ref: 'order#/id' }, ...outputs },
    );
    assert.deepEqual(found, { kind: 'resolved', value: { $ref: 'order#/id' } });
  });

  it('keeps a key named __proto__ a key', () => {
    const input: unknown = JSON.parse('{"__proto__": {"$ref": "text"}}');
    const found = resolveReferences(input, outputs);
    assert.ok(found.kind === 'resolved');
    assert.equal(JSON.stringify(found.value), '{"__proto__":"hello"}');
    assert.equal(Object.getPrototypeOf(found.value), Object.prototype);
  });
});
