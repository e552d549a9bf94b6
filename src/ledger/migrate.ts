import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { LedgerUnusableError } from './ledger-errors.js';
import { migrations, type Tables } from './schema.js';

const migrationTableName = 'holdfast_migrations';

/**
 * Brings the schema to this version. The caller keeps other processes away where the database itself
 * has no lock for it. `schema` is the one of PostgreSQL in which the tables stand or are made: others of
 * the same database may hold ledgers of their own.
 * @throws LedgerUnusableError where a newer version of holdfast has migrated the database
 */
export async function migrate(db: Kysely<Tables>, schema?: string): Promise<void> {
  await refuseNewer(db, schema);
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async (): Promise<Record<string, Migration>> => ({ ...migrations }),
    },
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
    migrationTableName,
    migrationLockTableName: `${migrationTableName}_lock`,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/**
 * Reads only, so that a database of somebody else stays as it is.
 * @throws LedgerUnusableError where no ledger is there
 */
export async function refuseMissing(db: Kysely<Tables>, schema?: string): Promise<void> {
  if ((await appliedMigrations(db, schema)).length > 0) return;
  throw new LedgerUnusableError('The database holds no ledger: name the one that the workers use.');
}

/** Reads only, so that a database of a newer schema stays as it is. */
export async function refuseNewer(db: Kysely<Tables>, schema?: string): Promise<void> {
  const applied = await appliedMigrations(db, schema);
  const newer = applied.filter((name) => !(name in migrations));
  if (newer.length === 0) return;
  throw new LedgerUnusableError(
    `The ledger's database has schema ${newer.at(-1)}, and this version of holdfast supports up to ` +
      `${Object.keys(migrations).at(-1)}; use the version of holdfast that migrated it, or a newer one.`,
  );
}

async function appliedMigrations(
  db: Kysely<Tables>,
  schema: string | undefined,
): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isThere = tables.some(
    (table) =>
      table.name === migrationTableName && (schema === undefined || table.schema === schema),
  );
  if (!isThere) return [];
  const { rows } = await sql<{ readonly name: string }>`
    select name from ${sql.table(migrationTableName)} order by name
  `.execute(db);
  return rows.map(({ name }) => name);
}
