import SqliteFile from 'better-sqlite3';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement, sql } from 'kysely';
import { type Fault, HoldfastError, throwFaults } from '../budget/errors.js';
import { faultsOf, rules } from '../budget/rules.js';
import { createPatience } from './busy.js';
import type { Database, StoreSchema } from './database.js';
import { codeOf, reasonOf } from './database-errors.js';
import { migrate, refuseMissing, refuseNewer } from './migrate.js';

/** Where a store's SQLite database is. */
export type SqliteAccess = {
  /** The database's file, on a disk of this machine; it is made where it is missing, its folder is not. */
  readonly path: string;
  /**
   * Milliseconds that an operation waits for another process that writes.
   * @default 5_000
   */
  readonly busyTimeoutMs?: number | undefined;
};

const defaultBusyTimeoutMs = 5_000;

/** Milliseconds of the wait that SQLite does itself, with the thread held: see createPatience. */
const heldWaitMs = 20;

/**
 * Opens a store's database in a file of this machine, which any number of its processes may share, and brings it to
 * the store's schema. Its clock is the machine's own. Throws InvalidRequestError for options that break their rules
 * (`storeFaults` are those of the store's own),
 * the store's `unusable` where the file can't be its database, and its `unavailable` where it is locked for too long
 * or the disk is full.
 */
export async function openSqliteDatabase<Tables>(
  options: SqliteAccess & { readonly mustExist: boolean },
  store: StoreSchema,
  storeFaults: readonly Fault[] = [],
): Promise<Database<Tables>> {
  const { path, mustExist, busyTimeoutMs = defaultBusyTimeoutMs } = options;
  throwFaults([
    ...faultsOf('path', path, rules.text),
    ...storeFaults,
    ...faultsOf('busyTimeoutMs', busyTimeoutMs, rules.nonNegativeInteger),
    ...faultsOf('mustExist', mustExist, rules.boolean),
  ]);
  const file = openFile(options, store);
  try {
    if (mustExist) await refuseMissing(kyselyOver(file), { store });
    return await prepare<Tables>(file, { store, busyTimeoutMs });
  } catch (error) {
    file.close();
    throw notOpened(path, error, store);
  }
}

function openFile(
  { path, mustExist }: { readonly path: string; readonly mustExist: boolean },
  store: StoreSchema,
): SqliteFile.Database {
  try {
    return new SqliteFile(path, { timeout: heldWaitMs, fileMustExist: mustExist });
  } catch (error) {
    throw notOpened(path, error, store);
  }
}

function kyselyOver<Tables>(file: SqliteFile.Database): Kysely<Tables> {
  return new Kysely({ dialect: new SqliteDialect({ database: keepStatements(file) }) });
}

/** Brings an open file to the schema of this version: in one transaction, which other processes wait for. */
export async function prepare<Tables>(
  file: SqliteFile.Database,
  { store, busyTimeoutMs }: { readonly store: StoreSchema; readonly busyTimeoutMs: number },
): Promise<Database<Tables>> {
  const patiently = createPatience(busyTimeoutMs);
  const db = kyselyOver<Tables>(file);
  await patiently(() => refuseNewer(db, { store }));
  // SQLite's own wait doesn't cover this switch
  await patiently(async () => file.pragma('journal_mode = wal'));
  file.pragma('synchronous = full');
  await patiently(async () => file.exec('begin immediate'));
  try {
    await migrate(db, { store });
    file.exec('commit');
  } catch (error) {
    if (file.inTransaction) file.exec('rollback');
    throw error;
  }
  return {
    kind: 'sqlite',
    db,
    prepare: (text) => prepareIn(file, text),
    now: sql`cast(round(unixepoch('subsec') * 1000) as integer)`,
    patiently,
    close: () => db.destroy(),
  };
}

/** Preparing a statement takes longer than running it: the few texts that a store sends are prepared once. */
function keepStatements(file: SqliteFile.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare: (text) => {
      const statement = statements.get(text) ?? file.prepare<unknown[]>(text);
      statements.set(text, statement);
      return statement;
    },
    close: () => file.close(),
  };
}

function prepareIn(
  file: SqliteFile.Database,
  text: string,
): ReturnType<Database<unknown>['prepare']> {
  const statement = file.prepare<unknown[]>(text);
  return async (values) => {
    if (!statement.reader) return { rows: [], changes: statement.run(values).changes };
    const rows = statement.all(values);
    return { rows, changes: rows.length };
  };
}

function notOpened(path: string, error: unknown, { noun, errors }: StoreSchema): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const code = codeOf(error);
  if (/^SQLITE_(BUSY|FULL|IOERR|LOCKED|NOMEM)/.test(code)) {
    return errors.unavailable(`open ${path}`, error);
  }
  return errors.unusable(
    `${path} can't be a ${noun}: ${reasonOf(error)}; name a file in an existing folder that this ` +
      `process may write, and that is new or holds a ${noun}.`,
    { cause: error },
  );
}
