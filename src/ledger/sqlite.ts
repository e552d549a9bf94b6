import Database from 'better-sqlite3';
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement, sql } from 'kysely';
import { HoldfastError, throwFaults } from '../budget/errors.js';
import { faultsOf, rules } from '../budget/rules.js';
import { createPatience } from './busy.js';
import type { LedgerDatabase } from './database.js';
import type { Ledger } from './ledger.js';
import { codeOf, LedgerUnavailableError, LedgerUnusableError, reasonOf } from './ledger-errors.js';
import { migrate, refuseMissing, refuseNewer } from './migrate.js';
import { type LedgerOptions, ledgerDefaults } from './options.js';
import type { Tables } from './schema.js';
import { createSqlLedger } from './sql-ledger.js';

/** Where an SQLite ledger is kept. */
export type SqliteOptions = LedgerOptions & {
  /** The database's file, on a disk of this machine; it is made where it is missing, its folder is not. */
  readonly path: string;
  /**
   * Milliseconds that an operation waits for another process that writes.
   * @default 5_000
   */
  readonly busyTimeoutMs?: number | undefined;
};

const sqliteDefaults = { ...ledgerDefaults, busyTimeoutMs: 5_000 } as const;

/** Milliseconds of the wait that SQLite does itself, with the thread held: see createPatience. */
const heldWaitMs = 20;

/**
 * Opens a ledger in a file of this machine, which any number of its processes may share. Its clock is
 * the machine's own.
 * @throws InvalidRequestError for options that break their rules
 * @throws LedgerUnusableError where the file can't be a ledger
 * @throws LedgerUnavailableError where it is locked for too long or the disk is full
 */
export async function openSqlite(options: SqliteOptions): Promise<Ledger> {
  const { path, retentionMs = sqliteDefaults.retentionMs } = options;
  const { busyTimeoutMs = sqliteDefaults.busyTimeoutMs } = options;
  const { mustExist = sqliteDefaults.mustExist } = options;
  throwFaults([
    ...faultsOf('path', path, rules.text),
    ...faultsOf('retentionMs', retentionMs, rules.positiveInteger),
    ...faultsOf('busyTimeoutMs', busyTimeoutMs, rules.nonNegativeInteger),
    ...faultsOf('mustExist', mustExist, rules.boolean),
  ]);
  const file = openFile(path, mustExist);
  try {
    if (mustExist) await refuseMissing(kyselyOver(file));
    return createSqlLedger(await prepare(file, busyTimeoutMs), retentionMs);
  } catch (error) {
    file.close();
    throw notOpened(path, error);
  }
}

function openFile(path: string, fileMustExist: boolean): Database.Database {
  try {
    return new Database(path, { timeout: heldWaitMs, fileMustExist });
  } catch (error) {
    throw notOpened(path, error);
  }
}

function kyselyOver(file: Database.Database): Kysely<Tables> {
  return new Kysely({ dialect: new SqliteDialect({ database: keepStatements(file) }) });
}

/** Brings an open file to this version's schema: in one transaction, which other processes wait for. */
export async function prepare(
  file: Database.Database,
  busyTimeoutMs: number,
): Promise<LedgerDatabase> {
  const patiently = createPatience(busyTimeoutMs);
  const db = kyselyOver(file);
  await patiently(() => refuseNewer(db));
  // SQLite's own wait doesn't cover this switch
  await patiently(async () => file.pragma('journal_mode = wal'));
  file.pragma('synchronous = full');
  await patiently(async () => file.exec('begin immediate'));
  try {
    await migrate(db);
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
    isApprovalTaken: (error) =>
      codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE' && reasonOf(error).includes('.approval'),
    patiently,
    close: () => db.destroy(),
  };
}

/** Preparing a claim takes longer than running it: the few texts that a ledger sends are prepared once. */
function keepStatements(file: Database.Database): SqliteDatabase {
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

function prepareIn(file: Database.Database, text: string): ReturnType<LedgerDatabase['prepare']> {
  const statement = file.prepare<unknown[]>(text);
  return async (values) => {
    if (!statement.reader) return { rows: [], changes: statement.run(values).changes };
    const rows = statement.all(values);
    return { rows, changes: rows.length };
  };
}

function notOpened(path: string, error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  const code = codeOf(error);
  if (/^SQLITE_(BUSY|FULL|IOERR|LOCKED|NOMEM)/.test(code)) {
    return new LedgerUnavailableError(`open ${path}`, error);
  }
  return new LedgerUnusableError(
    `${path} can't be a ledger: ${reasonOf(error)}; name a file in an existing folder that this ` +
      'process may write, and that is new or holds a ledger.',
    { cause: error },
  );
}
