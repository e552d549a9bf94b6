import type { Kysely, Migration, RawBuilder } from 'kysely';
import type { StoreErrors } from './database-errors.js';
import type { StatementEnd } from './statement.js';

/** A database with the schema of one store, and what tells one kind of database from the other. */
export type Database<Tables> = {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Kysely<Tables>;
  /** Has a statement prepared, once for as long as the database is open; it runs with its parameters' values. */
  readonly prepare: (
    text: string,
  ) => (values: readonly unknown[]) => Promise<StatementEnd<unknown>>;
  /** The database's clock as epoch milliseconds; it stands still while one statement runs. */
  readonly now: RawBuilder<number>;
  /** Runs statements of which each may be repeated where it found the database locked. */
  readonly patiently: <Result>(run: () => Promise<Result>) => Promise<Result>;
  readonly close: () => Promise<void>;
};

/** What a store keeps in its database, where other stores may stand beside it. */
export type StoreSchema = {
  /** What the store is, as messages call it: `ledger`. */
  readonly noun: string;
  /** The versions of the schema, oldest first. A released one is never edited: a new one is added. */
  readonly migrations: Readonly<Record<string, Migration>>;
  /** The table that says which of them were applied. */
  readonly migrationTable: string;
  readonly errors: StoreErrors;
};
