import { faultsOf, rules } from '../budget/rules.js';
import { openAt } from '../database/address.js';
import { openPostgresDatabase, type PostgresAccess } from '../database/postgres.js';
import { openSqliteDatabase, type SqliteAccess } from '../database/sqlite.js';
import type { ConversationStore } from './conversations.js';
import { type ConversationOptions, conversationDefaults } from './options.js';
import { conversationSchema, type Tables } from './schema.js';
import { createSqlConversations } from './sql-conversations.js';

/** Where an SQLite store of conversations is kept; the ledger may stand in the same file. */
export type SqliteConversationOptions = ConversationOptions & SqliteAccess;

/** Where a PostgreSQL store of conversations is kept; the ledger may stand in the same database. */
export type PostgresConversationOptions = ConversationOptions & PostgresAccess;

/**
 * Opens a store of conversations in a file of this machine.
 * @throws InvalidRequestError for options that break their rules
 * @throws ConversationsUnusableError where the file can't be one
 * @throws ConversationsUnavailableError where it is locked for too long or the disk is full
 */
export async function openSqliteConversations(
  options: SqliteConversationOptions,
): Promise<ConversationStore> {
  const { retentionMs = conversationDefaults.retentionMs } = options;
  const faults = faultsOf('retentionMs', retentionMs, rules.positiveInteger);
  const access = { ...options, mustExist: false };
  const database = await openSqliteDatabase<Tables>(access, conversationSchema, faults);
  return createSqlConversations(database, retentionMs);
}

/**
 * Opens a store of conversations in a PostgreSQL database (12 or newer).
 * @throws InvalidRequestError for options that break their rules
 * @throws ConversationsUnusableError where the database refuses
 * @throws ConversationsUnavailableError where it can't be reached
 */
export async function openPostgresConversations(
  options: PostgresConversationOptions,
): Promise<ConversationStore> {
  const { retentionMs = conversationDefaults.retentionMs } = options;
  const faults = faultsOf('retentionMs', retentionMs, rules.positiveInteger);
  const access = { ...options, mustExist: false };
  const database = await openPostgresDatabase<Tables>(access, conversationSchema, faults);
  return createSqlConversations(database, retentionMs);
}

/**
 * Opens the store of conversations at an address: `postgres://…`, or an SQLite file's path.
 * @throws InvalidRequestError for an address of neither, and what the two above throw
 */
export async function openConversations(
  address: string,
  options: ConversationOptions = {},
): Promise<ConversationStore> {
  return openAt(address, {
    postgres: (connectionString) => openPostgresConversations({ ...options, connectionString }),
    sqlite: (path) => openSqliteConversations({ ...options, path }),
  });
}
