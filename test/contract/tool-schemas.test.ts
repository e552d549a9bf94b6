import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineTool } from 'holdfast/contract';
import { z } from 'zod';
import { faultsOf } from './faults.js';

const text = z.string();
const size = z.string().transform((value) => value.length);
const isoDate = z.codec(z.iso.datetime(), z.date(), {
  decode: (value) => new Date(value),
  encode: (value) => value.toISOString(),
});

type Tree = { readonly name: string; readonly kids: readonly Tree[] };
const tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get kids() {
    return z.array(tree);
  },
});
const shoutingTree = z.object({
  name: z.string().transform((value) => value.toUpperCase()),
  get kids(): z.ZodArray<z.ZodType> {
    return z.array(shoutingTree);
  },
});

function define(schemas: { readonly input?: z.ZodType; readonly output?: z.ZodType }): unknown {
  const base = { name: 'tool', description: 'A tool', downstream: 'd', effect: 'read' } as const;
  return defineTool({ ...base, input: text, output: text, ...schemas });
}

const lostInJson: Readonly<Record<string, z.ZodType>> = {
  'a date': z.date(),
  'a coerced date': z.coerce.date(),
  'a bigint': z.bigint(),
  'a coerced bigint': z.coerce.bigint(),
  'a literal bigint': z.literal(10n),
  'a literal undefined': z.literal(undefined),
  'a literal among others that JSON lacks': z.literal(['a', undefined]),
  'a map': z.map(text, text),
  'a set': z.set(text),
  undefined: z.undefined(),
  'a void': z.void(),
  NaN: z.nan(),
  'a symbol': z.symbol(),
  'an instance of a class': z.instanceof(URL),
  'a custom type': z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  'a file': z.file(),
  'a promise': z.promise(text),
  'a function': z.function({ input: [text], output: text }),
  'a date in an object': z.object({ at: z.date() }),
  'a date in a list in a record': z.record(text, z.array(z.date())),
  'a date in a union': z.union([text, z.date()]),
  'an optional date': z.object({ at: z.date().optional() }),
  'a nullable bigint': z.object({ n: z.bigint().nullable() }),
  'a date with a default': z.object({ at: z.date().default(new Date(0)) }),
  'a date with a catch': z.date().catch(new Date(0)),
  'a date in a tuple': z.tuple([text, z.date()]),
  'a date in the rest of a tuple': z.tuple([text], z.date()),
  'a date in a catchall': z.object({}).catchall(z.date()),
  'a lazy map': z.lazy(() => z.map(text, text)),
  'a date in an intersection': z.intersection(z.object({ a: text }), z.object({ b: z.date() })),
  'a record with symbols as keys': z.record(z.symbol(), text),
};

describe('a schema whose values JSON loses', () => {
  for (const [name, schema] of Object.entries(lostInJson)) {
    it(`is refused as an input and as an output: ${name}`, () => {
      for (const side of ['input', 'output']) {
        const [fault] = faultsOf(() => define({ [side]: schema }));
        assert.ok(fault?.field.startsWith(`tools.tool.${side}`), fault?.field);
        assert.match(String(fault?.rule), /JSON/);
      }
    });
  }
});

const transforming: Readonly<Record<string, z.ZodType>> = {
  'a bare transform': z.transform((value) => value),
  'a transform at the end of a pipe': size,
  'a transform in the middle of a pipe': size.pipe(z.number()),
  'a transform at the head of a pipe': z.preprocess(Number, z.number()),
  'a codec': z.codec(text, z.number(), { decode: Number, encode: String }),
  'a codec to a date': isoDate,
  'a text read as a boolean': z.stringbool(),
  'a success': z.success(text),
  'a transform in an object in an object': z.object({ a: z.object({ b: size }) }),
  'a transform in a list': z.array(size),
  'a transform in a union': z.union([z.number(), size]),
  'an optional transform': z.object({ a: size.optional() }),
  'a nullable transform': size.nullable(),
  'a transform with a default': size.default(1),
  'a transform with a catch': size.catch(1),
  'a transform in a record': z.record(text, size),
  'a transform of a record’s keys': z.record(
    text.transform((key) => `${key}!`),
    text,
  ),
  'a transform in a tuple': z.tuple([size]),
  'a transform in the rest of a tuple': z.tuple([text], size),
  'a transform in an intersection': z.intersection(z.object({ a: text }), z.object({ b: size })),
  'a transform in a catchall': z.object({}).catchall(size),
  'a read-only transform': size.readonly(),
  'a lazy transform': z.lazy(() => size),
  'a transform in a recursive schema': shoutingTree,
  'a date made of a text': z.iso.datetime().pipe(z.coerce.date()),
  'a default that JSON loses': z.number().default(Number.NaN),
};

describe('a schema that changes its values', () => {
  for (const [name, schema] of Object.entries(transforming)) {
    it(`is refused as an output: ${name}`, () => {
      const [fault] = faultsOf(() => define({ output: schema }));
      assert.ok(fault?.field.startsWith('tools.tool.output'), fault?.field);
    });
  }

  const readable = Object.entries(transforming).filter(([name]) => name !== 'a bare transform');
  for (const [name, schema] of readable) {
    it(`is accepted as an input: ${name}`, () => {
      assert.doesNotThrow(() => define({ input: schema }));
    });
  }

  it('is refused as an input where the caller would have to send a date', () => {
    const [fault] = faultsOf(() => define({ input: z.date().transform(String) }));
    assert.equal(fault?.value, 'date');
  });
});

const carried: Readonly<Record<string, z.ZodType>> = {
  'an object': z.object({ a: text, b: z.number(), c: z.boolean(), d: z.null() }),
  'a strict object': z.strictObject({ a: text }),
  'a loose object': z.looseObject({ a: text }),
  'any JSON': z.json(),
  anything: z.unknown(),
  'a default': z.object({ a: text.default('x'), b: text.default(() => 'y') }),
  'a prefault': text.prefault('x'),
  'a catch': z.object({ a: text.catch('x') }),
  'a catch that looks at its error': text.catch(({ error }) => String(error.issues.length)),
  'an optional field': z.object({ a: text.optional() }),
  'an optional answer': text.optional(),
  'a nullable': text.nullable(),
  'a union': z.union([text, z.number(), z.object({ a: text })]),
  'a discriminated union': z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), a: text }),
    z.object({ kind: z.literal('b') }),
  ]),
  'an intersection': z.intersection(z.object({ a: text }), z.object({ b: text })),
  'a record': z.record(text, z.number()),
  'a partial record': z.partialRecord(z.enum(['a', 'b']), text),
  'a tuple': z.tuple([text, z.number()], z.boolean()),
  'an enum': z.enum(['a', 'b']),
  'literals of JSON': z.literal(['a', 1, true, null]),
  'a date as text': z.iso.datetime(),
  'a recursive schema': tree,
  'a lazy schema': z.lazy(() => z.object({ a: text })),
  'a refinement': text.refine((value) => value !== ''),
  'a brand': text.brand('Id'),
  'a pipe of two checks': text.pipe(z.string().min(1)),
  'a trimmed text': text.trim(),
  'a template': z.templateLiteral(['order-', z.number()]),
};

describe('a schema whose values JSON carries', () => {
  for (const [name, schema] of Object.entries(carried)) {
    it(`is accepted as an input and as an output: ${name}`, () => {
      assert.doesNotThrow(() => define({ input: schema, output: schema }));
    });
  }
});

describe('the faults of a schema', () => {
  it('are all listed, each with its place in the JSON schema', () => {
    const output = z.object({ at: z.date(), ids: z.array(z.bigint()), size });
    const faults = faultsOf(() => define({ input: z.object({ when: z.date() }), output }));
    assert.deepEqual(faults.map(({ field, value }) => `${field}: ${value}`).sort(), [
      'tools.tool.input.properties.when: date',
      'tools.tool.output.properties.at: date',
      'tools.tool.output.properties.ids.items: bigint',
      'tools.tool.output.properties.size: transform',
    ]);
  });

  it('name what is no schema at all', () => {
    // A program without types can hand in anything.
    const none = undefined as unknown as z.ZodType;
    const [fault] = faultsOf(() => define({ input: none }));
    assert.equal(fault?.field, 'tools.tool.input');
  });
});
