import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import { type Fault, InvalidRequestError } from '../budget/errors.js';
import { isPlainObject } from './json.js';

/** What makes a call the effect that it is. */
export type KeyParts = {
  readonly namespace: string;
  readonly workflowId: string;
  readonly tool: string;
  /** What the tool's `identity` returns, by default the arguments as given. */
  readonly identity: unknown;
  /** Tells equal calls apart where the caller means two effects. */
  readonly occurrence?: string | undefined;
};

/**
 * Returns the idempotency key of an effect: SHA-256, as 64 hex digits, of the canonical JSON (RFC 8785)
 * of its parts. Neither run, attempt, activity, time nor chance is part of it.
 * @throws InvalidRequestError where JSON can't carry the identity
 */
export function idempotencyKey(parts: KeyParts): string {
  const { namespace, workflowId, tool, identity, occurrence } = parts;
  const whole = [namespace, workflowId, tool, identity ?? null, occurrence ?? ''];
  return digest('identity', whole, identity);
}

/**
 * Returns the fingerprint of a call's exact arguments: SHA-256, as 64 hex digits, of their canonical JSON.
 * @throws InvalidRequestError where JSON can't carry them
 */
export function fingerprint(args: readonly unknown[]): string {
  return digest('arguments', args);
}

/** A value as its canonical JSON (RFC 8785), and the SHA-256 of that as 64 hex digits. */
export type Content = { readonly hash: string; readonly body: string };

/**
 * Returns what a store of conversations knows a value by, and keeps of it.
 * @throws InvalidRequestError where JSON can't carry the value
 */
export function contentOf(value: unknown): Content {
  const body = canonical('content', value);
  return { hash: hashOf(body), body };
}

/** Returns what keeps a value from being JSON that tells it apart from others; undefined where nothing does. */
export function jsonFault(field: string, value: unknown): Fault | undefined {
  try {
    canonical(field, value);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.faults[0];
    throw error;
  }
}

function digest(field: string, value: unknown, named = value): string {
  return hashOf(canonical(field, value, named));
}

function hashOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** `named` is what the field's name stands for, where the value holds more. */
function canonical(field: string, value: unknown, named = value): string {
  try {
    const text = canonicalize(value);
    if (text !== undefined && !losesContent(value)) return text;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw notJson(field, named, message);
  }
  throw notJson(field, named, named);
}

/** What keeps a value from being JSON, and where in it that stands; undefined where it isn't found. */
function culprit(
  field: string,
  value: unknown,
  above: readonly object[] = [],
): Pick<Fault, 'field' | 'value'> | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { field, value };
  if (['bigint', 'function', 'symbol'].includes(typeof value)) return { field, value };
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return undefined;
  if (above.includes(value)) return { field, value: 'a cycle' };
  for (const [name, inner] of Object.entries(value)) {
    const found = culprit(`${field}.${name}`, inner, [...above, value]);
    if (found !== undefined) return found;
  }
  if (!losesContent(value)) return undefined;
  return { field, value: `a ${value.constructor?.name || 'class instance'}` };
}

/**
 * Tells whether JSON leaves something out that tells values apart: two maps, or two functions, would be
 * one effect. Cycles have been refused before.
 */
function losesContent(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return true;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  const inner: unknown[] = Object.values(value);
  if (inner.length > 0) return inner.some(losesContent);
  return !Array.isArray(value) && !isPlainObject(value);
}

function notJson(field: string, value: unknown, otherwise: unknown): InvalidRequestError {
  const rule = 'must be JSON';
  try {
    return new InvalidRequestError([{ field, value: otherwise, ...culprit(field, value), rule }]);
  } catch {
    return new InvalidRequestError([{ field, rule, value: otherwise }]); // a getter that throws, or a depth without end
  }
}
