import { type Kysely, sql } from 'kysely';
import type { StoreSchema } from '../database/database.js';
import { LimiterUnavailableError, LimiterUnusableError } from './limit-errors.js';
import { functions } from './limiter-functions.js';

/** The tables are read and written by the functions alone, each call of which holds its key's row. */
async function createLimits(db: Kysely<unknown>): Promise<void> {
  // updates of a row find room on its page, and leave the index as it is
  await sql`
    create table holdfast_limit_keys (
      key text primary key,
      asked_at double precision not null,
      last_at double precision not null default '-Infinity',
      requests bigint not null default 0,
      tokens bigint not null default 0
    ) with (fillfactor = 50)
  `.execute(db);
  await sql`
    create table holdfast_limit_spent (
      id bigint generated always as identity primary key,
      key text not null,
      at double precision not null,
      tokens bigint not null
    )
  `.execute(db);
  await sql`
    create table holdfast_limit_places (
      id bigint generated always as identity primary key,
      key text not null,
      ticket text not null,
      tokens bigint not null,
      is_held boolean not null default false,
      back_at double precision not null
    )
  `.execute(db);
  await sql`create index holdfast_limit_spent_at on holdfast_limit_spent (key, at)`.execute(db);
  await sql`
    create unique index holdfast_limit_places_ticket on holdfast_limit_places (key, ticket)
  `.execute(db);
  await sql`create index holdfast_limit_places_line on holdfast_limit_places (key, id)`.execute(db);
  for (const text of functions) await sql.raw(text).execute(db);
}

/** What a limiter keeps in its database. */
export const limiterSchema: StoreSchema = {
  noun: 'limiter',
  migrations: { '0001-limits': { up: createLimits } },
  migrationTable: 'holdfast_limit_migrations',
  errors: {
    unusable: (message, options) => new LimiterUnusableError(message, options),
    unavailable: (operation, cause) => new LimiterUnavailableError(operation, cause),
  },
};
