import type { Ledger, LedgerEntry } from '../../ledger/index.js';
import { NotFoundError, UsageError } from '../cli-errors.js';

/** Tables shorten keys to a few characters, which are enough to name one. */
const prefixPattern = /^[0-9a-f]{8,63}$/;

/**
 * Returns the entry of a key, or of the only key that begins so.
 * @throws NotFoundError where there is none
 * @throws UsageError where several keys begin so
 */
export async function findEntry(ledger: Ledger, key: string): Promise<LedgerEntry> {
  if (key === '' || key.length > 255) {
    throw new UsageError(`A key has 1 to 255 characters, this one ${key.length}.`);
  }
  const entry = await ledger.find(key);
  if (entry !== undefined) return entry;
  const keyPrefix = key.replace(/…$/, ''); // as a table shows it
  if (!prefixPattern.test(keyPrefix)) {
    const why = /^[0-9a-f]{1,7}$/.test(keyPrefix)
      ? `: to name one by its first digits takes 8 or more, this is ${keyPrefix.length}`
      : '; a key can be shortened to its first 8 digits or more';
    throw new NotFoundError(`The ledger knows no effect with the key ${key}${why}.`);
  }
  const [first, second] = (await ledger.list({ keyPrefix, limit: 2 })).entries;
  if (first === undefined) {
    throw new NotFoundError(`The ledger knows no effect whose key begins with ${keyPrefix}.`);
  }
  if (second !== undefined) {
    throw new UsageError(`Several keys begin with ${keyPrefix}: give more of it.`);
  }
  return first;
}
