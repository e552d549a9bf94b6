import { faultsOf, rules } from '../budget/rules.js';
import type { Database } from '../database/database.js';
import { codeOf, reasonOf } from '../database/database-errors.js';
import { openSqliteDatabase, type SqliteAccess } from '../database/sqlite.js';
import type { LedgerDatabase } from './database.js';
import type { Ledger } from './ledger.js';
import { type LedgerOptions, ledgerDefaults } from './options.js';
import { ledgerSchema, type Tables } from './schema.js';
import { createSqlLedger } from './sql-ledger.js';

/** Where an SQLite ledger is kept. */
export type SqliteOptions = LedgerOptions & SqliteAccess;

/**
 * Opens a ledger in a file of this machine, which any number of its processes may share. Its clock is
 * the machine's own.
 * @throws InvalidRequestError for options that break their rules
 * @throws LedgerUnusableError where the file can't be a ledger
 * @throws LedgerUnavailableError where it is locked for too long or the disk is full
 */
export async function openSqlite(options: SqliteOptions): Promise<Ledger> {
  const { retentionMs = ledgerDefaults.retentionMs, mustExist = ledgerDefaults.mustExist } =
    options;
  const faults = faultsOf('retentionMs', retentionMs, rules.positiveInteger);
  const database = await openSqliteDatabase<Tables>(
    { ...options, mustExist },
    ledgerSchema,
    faults,
  );
  return createSqlLedger(ledgerIn(database), retentionMs);
}

/** Returns an SQLite database with the ledger's schema as the ledger uses it. */
export function ledgerIn(database: Database<Tables>): LedgerDatabase {
  return { ...database, isApprovalTaken };
}

function isApprovalTaken(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE' && reasonOf(error).includes('.approval');
}
