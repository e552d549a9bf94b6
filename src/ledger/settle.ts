import { sql } from 'kysely';
import { assertNever } from '../budget/assert-never.js';
import { type PlaceOf, prepareStatement } from '../database/statement.js';
import { readRow } from './claim.js';
import { isLost, type LedgerDatabase } from './database.js';
import { toEntry } from './entry.js';
import type { HeldClaim, Resolution, ResolveAnswer, SettleAnswer, SettledEnd } from './ledger.js';
import { toStoredJson, toStoredText } from './stored-json.js';

/** The columns that an end is made of. */
export type StoredEnd = {
  readonly state: SettledEnd['kind'];
  readonly ending: string | null;
  readonly reason: string | null;
};

/**
 * Returns an end as it is stored.
 * @throws InvalidRequestError where JSON can't carry it
 */
export function toStoredEnd(end: SettledEnd): StoredEnd {
  switch (end.kind) {
    case 'done':
      return { state: end.kind, ending: toStoredJson('end.effect', end.effect), reason: null };
    case 'refused':
      return { state: end.kind, ending: toStoredJson('end.failure', end.failure), reason: null };
    case 'released':
      return { state: end.kind, ending: null, reason: null };
    case 'unknown':
      return { state: end.kind, ending: null, reason: toStoredText(end.reason) };
    default:
      return assertNever(end);
  }
}

/** Returns what writes the end of a claim where no other attempt has taken over, and counts a stale one (R8). */
export function createSettle(
  store: LedgerDatabase,
): (claim: HeldClaim, end: StoredEnd) => Promise<SettleAnswer> {
  const write = prepareStatement(store, (place: PlaceOf<StoredEnd & HeldClaim>) =>
    store.db
      .updateTable('holdfast_effects')
      .set({
        state: place('state'),
        ending: place('ending'),
        reason: place('reason'),
        settled_at: sql`case when ${place('state')} = 'unknown' then null else ${store.now} end`,
        // What is proven not to have been sent, or not applied, may run at once.
        lease_until: sql`case when ${place('state')} = 'released' then ${store.now} else lease_until end`,
      })
      .where('key', '=', place('key'))
      .where('epoch', '=', place('epoch'))
      .where('state', 'in', ['claimed', 'unknown']),
  );
  return async (claim, end) => {
    const { changes } = await write({ ...claim, ...end });
    return changes > 0 || (await isSaidAgain(store, claim, end))
      ? 'settled'
      : countStale(store, claim);
  };
}

async function isSaidAgain(
  store: LedgerDatabase,
  claim: HeldClaim,
  end: StoredEnd,
): Promise<boolean> {
  const row = await readRow(store, claim.key);
  return row?.epoch === claim.epoch && row.state === end.state && row.ending === end.ending;
}

async function countStale({ db }: LedgerDatabase, { key }: HeldClaim): Promise<'stale'> {
  await db
    .updateTable('holdfast_effects')
    .set({ stale_settles: sql`stale_settles + 1` })
    .where('key', '=', key)
    .execute();
  return 'stale';
}

/** Lengthens a lease, never shortens it; false where the claim is no longer this attempt's. */
export async function renew(
  store: LedgerDatabase,
  claim: HeldClaim,
  leaseMs: number,
): Promise<boolean> {
  const until = sql<number>`${store.now} + ${leaseMs}`;
  const written = await store.db
    .updateTable('holdfast_effects')
    .set({ lease_until: sql`case when lease_until > ${until} then lease_until else ${until} end` })
    .where('key', '=', claim.key)
    .where('epoch', '=', claim.epoch)
    .where('state', '=', 'claimed')
    .executeTakeFirst();
  return written.numUpdatedRows > 0n;
}

/** Writes that an effect, which has happened or may have, has been taken back. */
export async function undo({ db, now }: LedgerDatabase, key: string, by: string): Promise<void> {
  await db
    .updateTable('holdfast_effects')
    .set({
      state: 'undone',
      epoch: sql`epoch + 1`,
      settled_at: now,
      ending: null,
      reason: toStoredText(by),
    })
    .where('key', '=', key)
    .where('state', 'in', ['claimed', 'done', 'unknown'])
    .execute();
}

/**
 * Writes what a person knows of a lost effect; attempts that settle it later are stale. What has not happened may
 * run once the lease of the attempt that left it unknown is over.
 */
export async function resolve(
  store: LedgerDatabase,
  key: string,
  end: StoredEnd,
  { by, note, epoch }: Resolution,
): Promise<ResolveAnswer> {
  for (;;) {
    const write = store.db
      .updateTable('holdfast_effects')
      .set({
        ...end,
        epoch: sql`epoch + 1`,
        settled_at: store.now,
        settled_by: toStoredText(by),
        note: toStoredText(note),
      })
      .where('key', '=', key)
      .where(isLost(store));
    const fenced = epoch === undefined ? write : write.where('epoch', '=', epoch);
    const written = await fenced.executeTakeFirst();
    if (written.numUpdatedRows > 0n) return { kind: 'resolved' };

    const row = await readRow(store, key);
    if (row === undefined) return { kind: 'missing' };
    const { state, epoch: current } = toEntry(row);
    if (state !== 'unknown') return { kind: 'not-unknown', state };
    if (epoch !== undefined && epoch !== current) return { kind: 'superseded' };
    // an entry that became lost between the two statements is asked for again
  }
}
