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
