import { isPlainObject } from './json.js';

/** `{"$ref": "stepId#/json/pointer"}`: takes an earlier step's output, or a part of it. */
export type Reference = { readonly $ref: string };

/** A reference taken apart: the step, and the pointer's tokens (RFC 6901, section 4). */
export type ParsedReference = { readonly step: string; readonly tokens: readonly string[] };

/** A reference with the place in the input where it stands. */
export type PlacedReference = { readonly path: readonly string[]; readonly text: unknown };

/** Tells whether a value is a reference: an object whose only key is `$ref`. */
export function isReference(value: unknown): value is { readonly $ref: unknown } {
  return isPlainObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, '$ref');
}

/** Takes a reference apart; undefined where it isn't `stepId`, `stepId#` or `stepId#/json/pointer`. */
export function parseReference(text: unknown): ParsedReference | undefined {
  if (typeof text !== 'string') return undefined;
  const at = text.indexOf('#');
  const step = at < 0 ? text : text.slice(0, at);
  const pointer = at < 0 ? '' : text.slice(at + 1);
  if (step === '') return undefined;
  if (pointer === '') return { step, tokens: [] };
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  const tokens = pointer.slice(1).split('/');
  return { step, tokens: tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')) };
}

/** Lists the references inside a value with their places. */
export function findReferences(value: unknown, path: readonly string[] = []): PlacedReference[] {
  if (isReference(value)) return [{ path, text: value.$ref }];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => findReferences(item, [...path, String(index)]));
  }
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => findReferences(item, [...path, key]));
}

/** The result of resolving references: the value, or the first reference that leads nowhere. */
export type Resolved =
  | { readonly kind: 'resolved'; readonly value: unknown }
  | { readonly kind: 'dangling'; readonly reference: string };

/** Replaces every reference inside a value by what it points at in the outputs of earlier steps. */
export function resolveReferences(
  value: unknown,
  outputs: Readonly<Record<string, unknown>>,
): Resolved {
  const dangling: string[] = [];
  const replace = (at: unknown): unknown => {
    if (isReference(at)) {
      const found = lookUp(at.$ref, outputs);
      if (found.kind === 'dangling') dangling.push(found.reference);
      return found.kind === 'resolved' ? found.value : undefined;
    }
    if (Array.isArray(at)) return at.map(replace);
    if (!isPlainObject(at)) return at;
    return Object.fromEntries(Object.entries(at).map(([key, item]) => [key, replace(item)]));
  };
  const replaced = replace(value);
  const first = dangling[0];
  if (first !== undefined) return { kind: 'dangling', reference: first };
  return { kind: 'resolved', value: replaced };
}

function lookUp(text: unknown, outputs: Readonly<Record<string, unknown>>): Resolved {
  const parsed = parseReference(text);
  const dangling: Resolved = { kind: 'dangling', reference: String(text) };
  if (parsed === undefined || !Object.hasOwn(outputs, parsed.step)) return dangling;
  let at = outputs[parsed.step];
  for (const token of parsed.tokens) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, token)) return dangling;
    // A list has its own length; the pointer can't name it.
    if (Array.isArray(at) && token === 'length') return dangling;
    at = (at as Readonly<Record<string, unknown>>)[token]; // hasOwn has just found it
  }
  return { kind: 'resolved', value: at };
}
