import { throwFaults } from '../budget/errors.js';
import type { Ledger } from './ledger.js';
import type { LedgerOptions } from './options.js';
import { openPostgres } from './postgres.js';
import { openSqlite } from './sqlite.js';

/** Where a ledger is kept; `invalid` says in words that follow "must be" what an address has to be. */
export type LedgerAddress =
  | { readonly kind: 'postgres'; readonly connectionString: string }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'invalid'; readonly rule: string };

/** Reads an address as settings hold it: `postgres://user:password@host/database`, or an SQLite file's path. */
export function readLedgerAddress(address: string): LedgerAddress {
  if (/^postgres(ql)?:\/\//.test(address)) {
    if (URL.canParse(address)) return { kind: 'postgres', connectionString: address };
    return { kind: 'invalid', rule: 'must be a URL, as it begins like one of PostgreSQL' };
  }
  const isOther = /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
  if (address === '' || isOther) {
    return { kind: 'invalid', rule: 'must be postgres://… or the path of an SQLite file' };
  }
  return { kind: 'sqlite', path: address.replace(/^sqlite:/, '') };
}

/**
 * Opens the ledger at an address.
 * @throws InvalidRequestError for an address of neither store, and what openSqlite and openPostgres throw
 */
export async function openLedger(address: string, options: LedgerOptions = {}): Promise<Ledger> {
  const read = readLedgerAddress(address);
  switch (read.kind) {
    case 'postgres':
      return openPostgres({ ...options, connectionString: read.connectionString });
    case 'sqlite':
      return openSqlite({ ...options, path: read.path });
    default:
      // A password may stand in it.
      throwFaults([{ field: 'address', rule: read.rule, value: address.split('://')[0] }]);
      throw new Error('unreachable: a fault was thrown');
  }
}
