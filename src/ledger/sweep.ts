import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { type LedgerDatabase, leaseRanOut } from './database.js';
import type { Swept } from './ledger.js';

/** How a sweep goes. */
export type SweepOptions = {
  readonly retentionMs: number;
  readonly batchSize: number;
  readonly onBatch: (soFar: Swept) => void;
};

/**
 * Marks claims whose lease has run out, then removes what is past its retention; a statement touches
 * `batchSize` rows at most, so that claims never wait long for it.
 */
export async function sweep(store: LedgerDatabase, options: SweepOptions): Promise<Swept> {
  const { batchSize, onBatch } = options;
  let swept: Swept = { removed: 0, expired: 0 };
  for (;;) {
    const expired = await store.patiently(() => expireBatch(store, batchSize));
    swept = { ...swept, expired: swept.expired + expired };
    if (expired > 0) onBatch(swept);
    if (expired < batchSize) break;
    await setImmediate(); // SQLite's statements are synchronous: others get their turn
  }
  for (;;) {
    const removed = await store.patiently(() => removeBatch(store, options));
    swept = { ...swept, removed: swept.removed + removed };
    if (removed > 0) onBatch(swept);
    if (removed < batchSize) return swept;
    await setImmediate();
  }
}

/** The condition stands twice: an entry may change while PostgreSQL waits for its row. */
async function expireBatch({ db, now }: LedgerDatabase, batchSize: number): Promise<number> {
  const batch = db
    .selectFrom('holdfast_effects')
    .select('key')
    .where('state', '=', 'claimed')
    .where('lease_until', '<=', now)
    .orderBy('lease_until')
    .limit(batchSize);
  const written = await db
    .updateTable('holdfast_effects')
    .set({ state: 'unknown', reason: leaseRanOut })
    .where('key', 'in', batch)
    .where('state', '=', 'claimed')
    .where('lease_until', '<=', now)
    .executeTakeFirst();
  return Number(written.numUpdatedRows);
}

async function removeBatch(
  { db, now }: LedgerDatabase,
  { batchSize, retentionMs }: SweepOptions,
): Promise<number> {
  const isPast = sql<boolean>`settled_at <= ${now} - ${retentionMs}`;
  const batch = db
    .selectFrom('holdfast_effects')
    .select('key')
    .where(isPast)
    .orderBy('settled_at')
    .limit(batchSize);
  const removed = await db
    .deleteFrom('holdfast_effects')
    .where('key', 'in', batch)
    .where('state', 'in', ['done', 'refused', 'released', 'undone'])
    .where(isPast)
    .executeTakeFirst();
  return Number(removed.numDeletedRows);
}
