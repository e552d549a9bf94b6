import { z } from 'zod';
import type { Fault } from '../budget/errors.js';
import { isJsonAtTop } from './json.js';

type JsonSchema = z.core.JSONSchema.BaseSchema;

type Io = 'input' | 'output';
type Visit = {
  readonly zodSchema: z.core.$ZodTypes;
  readonly path?: readonly (string | number)[] | undefined;
};

/** Kinds of schemas whose values lose themselves in JSON. */
const notJson: ReadonlySet<string> = new Set([
  'bigint',
  'custom',
  'date',
  'file',
  'function',
  'map',
  'nan',
  'promise',
  'set',
  'symbol',
  'undefined',
  'void',
]);

/**
 * Lists what keeps a schema's values from crossing the wire as JSON: dates, bigints, maps, classes, and,
 * in an output, transforms (a transformed value would be transformed again wherever it is parsed).
 * @param field the schema's place; places inside it follow as a path in its JSON schema
 */
export function jsonFaults(schema: z.ZodType, io: Io, field: string): Fault[] {
  const faults = new Map<string, Fault>();
  const visit = ({ zodSchema, path = [] }: Visit): void => {
    const place = [field, ...path].join('.');
    const found = wireFault(zodSchema, io);
    if (found !== undefined && !faults.has(place)) faults.set(place, { field: place, ...found });
  };
  try {
    toJsonSchema(schema, io, visit);
    // The input side of a pipe is visited in input mode only.
    if (io === 'output') toJsonSchema(schema, 'input', visit);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ field, rule: 'must be a schema that has a JSON schema', value: reason }];
  }
  return [...faults.values()];
}

/** Returns the JSON schema of what a zod schema takes (`input`) or gives (`output`). */
export function toJsonSchema(
  schema: z.ZodType,
  io: Io,
  override: (visit: Visit) => void = () => {},
): JsonSchema {
  // What has no JSON schema is left open here and found by the kind of its schema above.
  return z.toJSONSchema(schema, { io, override, unrepresentable: 'any' });
}

function wireFault(schema: z.core.$ZodTypes, io: Io): Omit<Fault, 'field'> | undefined {
  const { def } = schema._zod;
  if (io === 'output' && transformsValues(schema)) {
    return { rule: 'must not transform its value: JSON carries it as it is', value: def.type };
  }
  const isLost =
    notJson.has(def.type) ||
    (def.type === 'literal' && !def.values.every(isJsonAtTop)) ||
    (def.type === 'default' && io === 'output' && !isJsonAtTop(def.defaultValue));
  return isLost
    ? { rule: 'must be a schema whose values JSON can carry', value: def.type }
    : undefined;
}

function transformsValues(schema: z.core.$ZodTypes): boolean {
  const { def } = schema._zod;
  if (def.type === 'transform' || def.type === 'success') return true;
  if (def.type !== 'pipe') return false;
  if ('transform' in def || 'reverseTransform' in def) return true;
  return def.in._zod.def.type === 'transform' || def.out._zod.def.type === 'transform';
}

/**
 * Tells whether a JSON pointer's tokens can name a place in values of a schema. Says yes where the
 * schema leaves it open, so a no is certain.
 */
export function pointerCanExist(schema: JsonSchema, tokens: readonly string[]): boolean {
  return reaches(schema, tokens, schema, 0);
}

const MAX_DEPTH = 64;

function reaches(
  at: JsonSchema | boolean,
  tokens: readonly string[],
  root: JsonSchema,
  depth: number,
): boolean {
  if (typeof at === 'boolean') return at;
  const [token, ...rest] = tokens;
  if (token === undefined || depth > MAX_DEPTH) return true;
  const go = (next: unknown, left = rest): boolean =>
    next === undefined || reaches(next as JsonSchema | boolean, left, root, depth + 1); // JSON Schema nests only schemas here
  if (at.$ref !== undefined) return go(resolveLocal(at.$ref, root), [...tokens]);
  const alternatives = at.anyOf ?? at.oneOf;
  if (alternatives !== undefined) return alternatives.some((one) => go(one, [...tokens]));
  if (at.allOf !== undefined) return at.allOf.some((one) => go(one, [...tokens]));
  switch (at.type) {
    case 'object':
      return objectReaches(at, token, go);
    case 'array':
      return /^(0|[1-9]\d*)$/.test(token) && go(arrayItem(at, Number(token)));
    case undefined:
      return at.const === undefined && at.enum === undefined;
    default:
      return false;
  }
}

function objectReaches(at: JsonSchema, token: string, go: (next: unknown) => boolean): boolean {
  const named = Object.hasOwn(at.properties ?? {}, token) ? at.properties?.[token] : undefined;
  if (named !== undefined) return go(named);
  if (at.additionalProperties === false) return false;
  return go(at.additionalProperties);
}

function arrayItem(at: JsonSchema, index: number): unknown {
  const prefix = at.prefixItems?.[index];
  if (prefix !== undefined) return prefix;
  if (at.prefixItems !== undefined && at.items === undefined) return false;
  return Array.isArray(at.items) ? at.items[index] : at.items;
}

function resolveLocal(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root;
  const name = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(reference)?.[1];
  return name === undefined ? undefined : root.$defs?.[untoken(name)];
}

function untoken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
