import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from './schema.js';
import type { StatementEnd } from './statement.js';

/** A database with the ledger's schema, and what tells one kind of database from the other. */
export type LedgerDatabase = {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Kysely<Tables>;
  /** Has a statement prepared, once for as long as the database is open; it runs with its parameters' values. */
  readonly prepare: (
    text: string,
  ) => (values: readonly unknown[]) => Promise<StatementEnd<unknown>>;
  /** The database's clock as epoch milliseconds; it stands still while one statement runs. */
  readonly now: RawBuilder<number>;
  /** Tells whether a statement was refused because another key has consumed the approval. */
  readonly isApprovalTaken: (error: unknown) => boolean;
  /** Runs statements of which each may be repeated where it found the database locked. */
  readonly patiently: <Result>(run: () => Promise<Result>) => Promise<Result>;
  readonly close: () => Promise<void>;
};

/** Why a claim that nobody settled is unknown. */
export const leaseRanOut = "the attempt's lease ran out";

/** SQL: a live attempt holds the entry. */
export function isHeld({ now }: LedgerDatabase): RawBuilder<boolean> {
  return sql`(holdfast_effects.state = 'claimed' and holdfast_effects.lease_until > ${now})`;
}

/** SQL: nobody holds the entry, and nobody knows whether its effect has happened (R7). */
export function isLost({ now }: LedgerDatabase): RawBuilder<boolean> {
  return sql`(
    holdfast_effects.state = 'unknown'
    or (holdfast_effects.state = 'claimed' and holdfast_effects.lease_until <= ${now})
  )`;
}
