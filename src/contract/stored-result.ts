import { isPlainObject } from './json.js';

/** A result of a tool that stands in the store of conversations: what the history holds of it. */
export type StoredResult = {
  readonly $holdfastStored: 1;
  /** SHA-256 of its canonical JSON. */
  readonly hash: string;
  /** Length of that JSON in bytes. */
  readonly bytes: number;
  /** How it begins, for whoever reads the history. */
  readonly preview: string;
};

/** Returns a value as the reference that it is; undefined for a value of its own. */
export function storedResult(value: unknown): StoredResult | undefined {
  if (!isPlainObject(value) || value.$holdfastStored !== 1) return undefined;
  return value as StoredResult; // the mark is the worker's
}
