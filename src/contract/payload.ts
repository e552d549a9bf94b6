import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Fault } from '../budget/errors.js';

const MOST_BYTES_PER_UNIT = 3;

/**
 * Returns what is wrong with the size of a value as JSON; undefined where nothing is, and for what JSON can't
 * carry at all: another payload converter may carry that.
 */
export function sizeFault(field: string, value: unknown, maxBytes: number): Fault | undefined {
  const text = jsonText(value);
  if (text === undefined || text.length * MOST_BYTES_PER_UNIT <= maxBytes) return undefined;
  const bytes = utf8ToBytes(text).length;
  if (bytes <= maxBytes) return undefined;
  return { field, rule: `must be at most ${maxBytes} bytes as JSON`, value: bytes };
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // a cycle or a BigInt: whoever needs JSON refuses it by that name
  }
}
