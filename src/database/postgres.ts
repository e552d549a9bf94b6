import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';
import { type Fault, HoldfastError, throwFaults } from '../budget/errors.js';
import { faultsOf, rules } from '../budget/rules.js';
import type { Database, StoreSchema } from './database.js';
import { codeOf, reasonOf } from './database-errors.js';
import { migrate, refuseMissing } from './migrate.js';
import { type BoundPool, boundPool, type PoolUse } from './postgres-pool.js';

/** Where a store's PostgreSQL database is: a pool that is handed in stays open when the store closes. */
export type PostgresAccess = {
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
   * Keeps the store's own statements prepared in the connections. False where a pooler hands each transaction
   * another connection and doesn't follow prepared statements, such as PgBouncer with
   * `max_prepared_statements = 0`.
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

const accessDefaults = {
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
  keepsStatements: true,
  maxConnections: 10,
} as const;

/**
 * Opens a store's PostgreSQL database (12 or newer), which the workers of any number of machines may share, and
 * brings it to the store's schema. Its clock is the server's. Throws InvalidRequestError for options that break
 * their rules (`storeFaults` are those of the store's own), the store's `unusable` where the database refuses (a wrong password, a missing database, no right to
 * make the tables, a newer schema), and its `unavailable` where it can't be reached.
 */
export async function openPostgresDatabase<Tables>(
  options: PostgresAccess & { readonly mustExist: boolean },
  store: StoreSchema,
  storeFaults: readonly Fault[] = [],
): Promise<Database<Tables>> {
  const {
    connectTimeoutMs = accessDefaults.connectTimeoutMs,
    statementTimeoutMs = accessDefaults.statementTimeoutMs,
    keepsStatements = accessDefaults.keepsStatements,
  } = options;
  throwFaults([
    ...storeFaults,
    ...faultsOf('connectTimeoutMs', connectTimeoutMs, rules.positiveInteger),
    ...faultsOf('statementTimeoutMs', statementTimeoutMs, rules.positiveInteger),
    ...faultsOf('keepsStatements', keepsStatements, rules.boolean),
    ...faultsOf('mustExist', options.mustExist, rules.boolean),
  ]);
  const use = { connectTimeoutMs, statementTimeoutMs, keepsStatements };
  const { pool, end } = 'pool' in options ? borrow(options.pool) : ownPool(options, use);
  const bound = boundPool(pool, use, end);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: bound.pool }) });
  try {
    const place = { store, schema: await currentSchema(db) };
    if (options.mustExist) await refuseMissing(db, place);
    await migrate(db, place);
  } catch (error) {
    await db.destroy();
    throw notOpened(error, store);
  }
  return databaseOver(db, bound);
}

async function currentSchema<Tables>(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ readonly name: string | null }>`
    select current_schema() as name
  `.execute(db);
  return rows[0]?.name ?? 'public';
}

function databaseOver<Tables>(db: Kysely<Tables>, { prepare }: BoundPool): Database<Tables> {
  return {
    kind: 'postgres',
    db,
    prepare,
    now: sql`floor(extract(epoch from statement_timestamp()) * 1000)::bigint`,
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
  const { connectionString, maxConnections = accessDefaults.maxConnections } = options;
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

function notOpened(error: unknown, { noun, errors }: StoreSchema): HoldfastError {
  if (error instanceof HoldfastError) return error;
  if (!refusals.test(codeOf(error))) return errors.unavailable('open', error);
  return errors.unusable(
    `The PostgreSQL database can't be a ${noun}: ${reasonOf(error)}; name a database in which this ` +
      'user may make tables.',
    { cause: error },
  );
}
