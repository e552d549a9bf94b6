import { throwFaults } from '../budget/errors.js';

/** Where a store is kept; `invalid` says in words that follow "must be" what an address has to be. */
export type DatabaseAddress =
  | { readonly kind: 'postgres'; readonly connectionString: string }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'invalid'; readonly rule: string };

/** Reads an address as settings hold it: `postgres://user:password@host/database`, or an SQLite file's path. */
export function readDatabaseAddress(address: string): DatabaseAddress {
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
 * Opens a store at an address.
 * @throws InvalidRequestError for an address of neither kind, and what the store's own functions throw
 */
export async function openAt<Store>(
  address: string,
  open: {
    readonly postgres: (connectionString: string) => Promise<Store>;
    readonly sqlite: (path: string) => Promise<Store>;
  },
): Promise<Store> {
  const read = readDatabaseAddress(address);
  switch (read.kind) {
    case 'postgres':
      return open.postgres(read.connectionString);
    case 'sqlite':
      return open.sqlite(read.path);
    default:
      return refuseAddress(address, read.rule);
  }
}

/** Refuses an address without quoting what stands behind its kind: a password may be among it. */
export function refuseAddress(address: string, rule: string): never {
  throwFaults([{ field: 'address', rule, value: address.split('://')[0] }]);
  throw new Error('unreachable: a fault was thrown');
}
