/** What JSON can carry. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** An object with JSON in it. */
export type JsonObject = { readonly [key: string]: Json };

/** Tells whether a value is a plain object: made by `{}`, by JSON, or without a prototype. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Tells whether a value is null, a primitive of JSON, an array or a plain object at its top level. */
export function isJsonAtTop(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  return Array.isArray(value) || isPlainObject(value);
}

/** Returns a copy that nothing else holds, as Temporal would carry the value; what JSON can't carry comes as it is. */
export function jsonCopy(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return value; // a cycle or a BigInt, which is refused by that name, or undefined
  }
}
