import type { ColumnType, Kysely, Migration } from 'kysely';
import type { StoreSchema } from '../database/database.js';
import {
  ConversationsUnavailableError,
  ConversationsUnusableError,
} from './conversation-errors.js';

/** A body as it is stored. Times are epoch milliseconds of the database's clock. */
export type BodiesTable = {
  readonly hash: string;
  readonly body: string;
  /** Retention counts from it. PostgreSQL hands 64-bit integers out as text. */
  readonly used_at: ColumnType<number | string, number, number>;
};

/** The tables of a store of conversations. */
export type Tables = { readonly holdfast_conversations: BodiesTable };

const migrations: Readonly<Record<string, Migration>> = {
  '0001-bodies': { up: createBodies },
};

/** What a store of conversations keeps in its database. */
export const conversationSchema: StoreSchema = {
  noun: 'store of conversations',
  migrations,
  migrationTable: 'holdfast_conversation_migrations',
  errors: {
    unusable: (message, options) => new ConversationsUnusableError(message, options),
    unavailable: (operation, cause) => new ConversationsUnavailableError(operation, cause),
  },
};

async function createBodies(db: Kysely<unknown>): Promise<void> {
  const table = 'holdfast_conversations';
  await db.schema
    .createTable(table)
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex(`${table}_used`).on(table).column('used_at').execute();
}
