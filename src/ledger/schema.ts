import type { ColumnType, Kysely, Migration } from 'kysely';
import type { StoreSchema } from '../database/database.js';
import type { EntryState } from './ledger.js';
import { LedgerUnavailableError, LedgerUnusableError } from './ledger-errors.js';

/** PostgreSQL hands 64-bit integers out as text: `toEntry` alone reads them. */
type Millis = ColumnType<number | string, number, number>;

/** One effect, as it is stored. Times are epoch milliseconds of the database's clock. */
export type EffectsTable = {
  readonly key: string;
  readonly fingerprint: string;
  readonly state: EntryState;
  readonly epoch: number;
  readonly owner: string;
  /** 1 where an earlier attempt of the claim may have caused the effect. */
  readonly reclaimed: number;
  readonly approval: string | null;
  readonly namespace: string;
  readonly workflow_id: string;
  readonly run_id: string;
  readonly tool: string;
  readonly downstream: string;
  readonly tenant: string | null;
  readonly lease_until: Millis;
  readonly first_claimed_at: Millis;
  readonly claimed_at: Millis;
  /** Null while claimed or unknown: retention counts from it, and neither may be removed. */
  readonly settled_at: ColumnType<number | string | null, number | null, number | null>;
  readonly settled_by: string | null;
  readonly note: string | null;
  readonly reason: string | null;
  /** JSON: EffectHappened where the state is `done`, StoredFailure where it is `refused`. */
  readonly ending: string | null;
  readonly stale_settles: number;
};

/** The tables of a ledger. */
export type Tables = { readonly holdfast_effects: EffectsTable };

/** The versions of the schema, oldest first. A released one is never edited: a new one is added. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-effects': { up: createEffects },
};

/** What the ledger keeps in its database. */
export const ledgerSchema: StoreSchema = {
  noun: 'ledger',
  migrations,
  migrationTable: 'holdfast_migrations',
  errors: {
    unusable: (message, options) => new LedgerUnusableError(message, options),
    unavailable: (operation, cause) => new LedgerUnavailableError(operation, cause),
  },
};

async function createEffects(db: Kysely<unknown>): Promise<void> {
  const table = 'holdfast_effects';
  await db.schema
    .createTable(table)
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('epoch', 'integer', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('reclaimed', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('approval', 'text')
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('workflow_id', 'text', (column) => column.notNull())
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('downstream', 'text', (column) => column.notNull())
    .addColumn('tenant', 'text')
    .addColumn('lease_until', 'bigint', (column) => column.notNull())
    .addColumn('first_claimed_at', 'bigint', (column) => column.notNull())
    .addColumn('claimed_at', 'bigint', (column) => column.notNull())
    .addColumn('settled_at', 'bigint')
    .addColumn('settled_by', 'text')
    .addColumn('note', 'text')
    .addColumn('reason', 'text')
    .addColumn('ending', 'text')
    .addColumn('stale_settles', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  const index = (name: string) => db.schema.createIndex(`${table}_${name}`).on(table);
  await index('approval').unique().column('approval').execute();
  await index('settled').column('settled_at').execute();
  await index('state').columns(['state', 'lease_until']).execute();
  await index('claimed').columns(['claimed_at', 'key']).execute();
  await index('workflow').columns(['workflow_id', 'claimed_at']).execute();
  await index('tool').columns(['tool', 'claimed_at']).execute();
}
