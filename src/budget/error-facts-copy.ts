import { headerRecord } from './hints-headers.js';

const maxDepth = 8;
const maxNodes = 400;
const maxKeys = 40;
const maxItems = 10;
const maxText = 16_000;

/**
 * Keys that are never copied: what was asked (prompts, credentials and personal data may stand
 * in it), the machinery of clients, and what the facts carry in fields of their own.
 */
const skippedKeys: ReadonlySet<string> = new Set([
  '$response',
  'agent',
  'config',
  'input',
  'messages',
  'options',
  'prompt',
  'req',
  'request',
  'requestBodyValues',
  'res',
  'socket',
  'stack',
  'toJSON',
]);

/** Keys that errors often carry as getters or hide from enumeration. */
const hiddenKeys = ['name', 'message', 'code', 'status', 'statusCode', 'errors', 'cause'];

/** Returns `value[key]`; undefined where there is no such key or reading it throws. */
export function readKey(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    // Any object may be read by any string key; what comes back is unknown.
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined; // A getter that throws has nothing to say.
  }
}

function keysOf(value: object): readonly string[] {
  try {
    return Object.keys(value).slice(0, maxKeys);
  } catch {
    return []; // A proxy that refuses to be listed.
  }
}

/** Returns whether the value is an error, also one of another realm or a subclass. */
export function isErrorLike(value: unknown): boolean {
  if (value instanceof Error) return true;
  return (
    typeof readKey(value, 'message') === 'string' && typeof readKey(value, 'stack') === 'string'
  );
}

/** The state of one copy: what was met already, and how much may still come. */
type Walk = { readonly seen: Set<object>; nodes: number };

function copyNode(value: unknown, depth: number, walk: Walk): unknown {
  if (typeof value === 'string') return value.slice(0, maxText);
  // JSON has no -0, NaN or Infinity.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : String(value);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || depth > maxDepth || walk.nodes >= maxNodes) return undefined;
  if (walk.seen.has(value)) return undefined;
  walk.seen.add(value);
  walk.nodes += 1;
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item: unknown) => copyNode(item, depth + 1, walk));
    return items.filter((item) => item !== undefined);
  }
  const keys = isErrorLike(value) ? [...hiddenKeys, ...keysOf(value)] : keysOf(value);
  const copy: Record<string, unknown> = {};
  for (const key of new Set(keys)) {
    if (skippedKeys.has(key) || key === '__proto__') continue;
    const field = readKey(value, key);
    const isHeaders = key === 'headers' || key === 'responseHeaders';
    const copied = isHeaders ? { ...headerRecord(field) } : copyNode(field, depth + 1, walk);
    if (copied !== undefined) copy[key] = copied;
  }
  return copy;
}

/**
 * Returns a plain JSON copy of what was thrown: bounded in depth, size and text, without cycles,
 * functions, requests or stack traces; undefined where nothing is left. `without` names top
 * fields to leave out. Reads only; a getter that throws is skipped.
 */
export function copyPlain(value: unknown, without: readonly string[] = []): unknown {
  const copy = copyNode(value, 0, { seen: new Set(), nodes: 0 });
  if (typeof copy !== 'object' || copy === null || Array.isArray(copy)) return copy;
  return Object.fromEntries(Object.entries(copy).filter(([key]) => !without.includes(key)));
}
