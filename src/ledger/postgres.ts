import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';
import { HoldfastError, throwFaults } from '../budget/errors.js';
import { faultsOf, rules } from '../budget/rules.js';
import type { LedgerDatabase } from './database.js';
import type { Ledger } from './ledger.js';
import { codeOf, LedgerUnavailableError, LedgerUnusableError, reasonOf } from './ledger-errors.js';
import { migrate, refuseMissing } from './migrate.js';
import { type LedgerOptions, ledgerDefaults } from './options.js';
import { type BoundPool, boundPool, type PoolUse } from './postgres-pool.js';
import type { Tables } from './schema.js';
import { createSqlLedger } from './sql-ledger.js';

/** Where a PostgreSQL ledger is kept: a pool that is handed in stays open when the ledger closes. */
export type PostgresOptions = LedgerOptions & {
  /**
   * Milliseconds that a connection is waited for.
   * @default 5_000
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Milliseconds that a statement may take.
   * @default 10_000
   */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * Keeps the statements of each claim and settle prepared in the connections. False where a pooler
   * hands each transaction another connection and doesn't follow prepared statements, such as PgBouncer
   * with `max_prepared_statements = 0`.
   * @default true
   */
  readonly keepsStatements?: boolean | undefined;
} & (
    | {
        readonly connectionString: string;
        /**
         * Connections that are held at most.
         * @default 10
         */
        readonly maxConnections?: number | undefined;
      }
    | { readonly pool: Pool }
  );

const postgresDefaults = {
  ...ledgerDefaults,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
  keepsStatements: true,
  maxConnections: 10,
} as const;

/**
 * Opens a ledger in a PostgreSQL database (12 or newer), which the workers of any number of machines may
 * share. Its clock is the server's.
 * @throws InvalidRequestError for options that break their rules
 * @throws LedgerUnusableError where the database refuses: a wrong password, a missing database, no right
 * to make the tables, a newer schema
 * @throws LedgerUnavailableError where it can't be reached
 */
export async function openPostgres(options: PostgresOptions): Promise<Ledger> {
  const {
    retentionMs = postgresDefaults.retentionMs,
    connectTimeoutMs = postgresDefaults.connectTimeoutMs,
    statementTimeoutMs = postgresDefaults.statementTimeoutMs,
    keepsStatements = postgresDefaults.keepsStatements,
    mustExist = postgresDefaults.mustExist,
  } = options;
  throwFaults([
    ...faultsOf('retentionMs', retentionMs, rules.positiveInteger),
    ...faultsOf('connectTimeoutMs', connectTimeoutMs, rules.positiveInteger),
    ...faultsOf('statementTimeoutMs', statementTimeoutMs, rules.positiveInteger),
    ...faultsOf('keepsStatements', keepsStatements, rules.boolean),
    ...faultsOf('mustExist', mustExist, rules.boolean),
  ]);
  const use = { connectTimeoutMs, statementTimeoutMs, keepsStatements };
  const { pool, end } = 'pool' in options ? borrow(options.pool) : ownPool(options, use);
  const bound = boundPool(pool, use, end);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: bound.pool }) });
  try {
    const schema = await currentSchema(db);
    if (mustExist) await refuseMissing(db, schema);
    await migrate(db, schema);
  } catch (error) {
    await db.destroy();
    throw notOpened(error);
  }
  return createSqlLedger(storeOver(db, bound), retentionMs);
}

async function currentSchema(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ readonly name: string | null }>`
    select current_schema() as name
  `.execute(db);
  return rows[0]?.name ?? 'public';
}

function storeOver(db: Kysely<Tables>, { prepare }: BoundPool): LedgerDatabase {
  return {
    kind: 'postgres',
    db,
    prepare,
    now: sql`floor(extract(epoch from statement_timestamp()) * 1000)::bigint`,
    isApprovalTaken: (error) =>
      codeOf(error) === '23505' && reasonOf(error).includes('holdfast_effects_approval'),
    patiently: (run) => run(),
    close: () => db.destroy(),
  };
}

type UsedPool = { readonly pool: Pool; readonly end: () => Promise<void> };

/** An idle connection broke: the pool has dropped it, and without a listener the process would end. */
const onIdleError = (): void => {};

function borrow(pool: Pool): UsedPool {
  pool.on('error', onIdleError);
  return {
    pool,
    end: async () => {
      pool.off('error', onIdleError);
    },
  };
}

function ownPool(
  options: { readonly connectionString: string; readonly maxConnections?: number | undefined },
  { connectTimeoutMs, statementTimeoutMs }: PoolUse,
): UsedPool {
  const { connectionString, maxConnections = postgresDefaults.maxConnections } = options;
  throwFaults([
    ...faultsOf('connectionString', connectionString, rules.text),
    ...faultsOf('maxConnections', maxConnections, rules.positiveInteger),
  ]);
  const pool = new Pool({
    connectionString,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    keepAlive: true,
    application_name: 'holdfast',
  });
  // its listener stays: an ended pool still takes leave of its connections
  pool.on('error', onIdleError);
  return { pool, end: () => pool.end() };
}

/** Classes of SQLSTATE (refused login, missing database, no such schema or right, read-only), and no address at all. */
const refusals = /^(28|3D|3F|42|25006|ERR_INVALID_URL)/;

function notOpened(error: unknown): HoldfastError {
  if (error instanceof HoldfastError) return error;
  if (!refusals.test(codeOf(error))) return new LedgerUnavailableError('open', error);
  return new LedgerUnusableError(
    `The PostgreSQL database can't be a ledger: ${reasonOf(error)}; name a database in which this ` +
      'user may make tables.',
    { cause: error },
  );
}
