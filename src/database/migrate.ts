import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import type { StoreSchema } from './database.js';

/** A store's schema, and the one of PostgreSQL in which its tables stand: others may hold stores of their own. */
export type SchemaPlace = { readonly store: StoreSchema; readonly schema?: string | undefined };

/**
 * Brings a store's schema to this version. The caller keeps other processes away where the database itself has no
 * lock for it. Throws the store's `unusable` where a newer version of holdfast has migrated the database.
 */
export async function migrate<Tables>(db: Kysely<Tables>, place: SchemaPlace): Promise<void> {
  await refuseNewer(db, place);
  const { migrations, migrationTable } = place.store;
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: async (): Promise<Record<string, Migration>> => ({ ...migrations }),
    },
    ...(place.schema === undefined ? {} : { migrationTableSchema: place.schema }),
    migrationTableName: migrationTable,
    migrationLockTableName: `${migrationTable}_lock`,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Reads only, so that a database of somebody else stays as it is; throws `unusable` where the store isn't there. */
export async function refuseMissing<Tables>(db: Kysely<Tables>, place: SchemaPlace): Promise<void> {
  if ((await appliedMigrations(db, place)).length > 0) return;
  const { noun, errors } = place.store;
  throw errors.unusable(`The database holds no ${noun}: name the one that the workers use.`);
}

/** Reads only, so that a database of a newer schema stays as it is; throws `unusable` there. */
export async function refuseNewer<Tables>(db: Kysely<Tables>, place: SchemaPlace): Promise<void> {
  const { noun, migrations, errors } = place.store;
  const applied = await appliedMigrations(db, place);
  const newer = applied.filter((name) => !(name in migrations));
  if (newer.length === 0) return;
  throw errors.unusable(
    `The ${noun}'s database has schema ${newer.at(-1)}, and this version of holdfast supports up to ` +
      `${Object.keys(migrations).at(-1)}; use the version of holdfast that migrated it, or a newer one.`,
  );
}

async function appliedMigrations<Tables>(
  db: Kysely<Tables>,
  { store: { migrationTable }, schema }: SchemaPlace,
): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isThere = tables.some(
    (table) => table.name === migrationTable && (schema === undefined || table.schema === schema),
  );
  if (!isThere) return [];
  const { rows } = await sql<{ readonly name: string }>`
    select name from ${sql.table(migrationTable)} order by name
  `.execute(db);
  return rows.map(({ name }) => name);
}
