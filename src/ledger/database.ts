import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.js';
import type { Tables } from './schema.js';

/** A database with the ledger's schema. */
export type LedgerDatabase = Database<Tables> & {
  /** Tells whether a statement was refused because another key has consumed the approval. */
  readonly isApprovalTaken: (error: unknown) => boolean;
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
