import { faultsOf, rules } from '../budget/rules.js';
import { codeOf, reasonOf } from '../database/database-errors.js';
import { openPostgresDatabase, type PostgresAccess } from '../database/postgres.js';
import type { Ledger } from './ledger.js';
import { type LedgerOptions, ledgerDefaults } from './options.js';
import { ledgerSchema, type Tables } from './schema.js';
import { createSqlLedger } from './sql-ledger.js';

/** Where a PostgreSQL ledger is kept: a pool that is handed in stays open when the ledger closes. */
export type PostgresOptions = LedgerOptions & PostgresAccess;

/**
 * Opens a ledger in a PostgreSQL database (12 or newer), which the workers of any number of machines may
 * share. Its clock is the server's.
 * @throws InvalidRequestError for options that break their rules
 * @throws LedgerUnusableError where the database refuses: a wrong password, a missing database, no right
 * to make the tables, a newer schema
 * @throws LedgerUnavailableError where it can't be reached
 */
export async function openPostgres(options: PostgresOptions): Promise<Ledger> {
  const { retentionMs = ledgerDefaults.retentionMs, mustExist = ledgerDefaults.mustExist } =
    options;
  const faults = faultsOf('retentionMs', retentionMs, rules.positiveInteger);
  const database = await openPostgresDatabase<Tables>(
    { ...options, mustExist },
    ledgerSchema,
    faults,
  );
  return createSqlLedger({ ...database, isApprovalTaken }, retentionMs);
}

function isApprovalTaken(error: unknown): boolean {
  return codeOf(error) === '23505' && reasonOf(error).includes('holdfast_effects_approval');
}
