import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { createAsking } from '../database/asking.js';
import type { Database } from '../database/database.js';
import type { ConversationStore, StoredBody } from './conversations.js';
import { conversationSchema, type Tables } from './schema.js';

/** Values of one statement: SQLite takes 32,766 at most. */
const batchSize = 500;

/** A use is written down once in so many parts of the retention: reading then writes nothing as a rule. */
const usesPerRetention = 20;

type Store = Database<Tables>;

/** Returns the store that keeps conversations in a database. */
export function createSqlConversations(store: Store, retentionMs: number): ConversationStore {
  const asking = createAsking(conversationSchema, store.close);
  const ask = <Answer>(operation: string, run: () => Promise<Answer>): Promise<Answer> =>
    asking.ask(operation, () => store.patiently(run));
  return {
    kind: store.kind,
    retentionMs,
    put: async (bodies) => {
      for (const batch of batches(bodies)) await ask('put', () => putBatch(store, batch));
    },
    get: async (hashes) => {
      const found = new Map<string, string>();
      for (const batch of batches([...new Set(hashes)])) {
        const rows = await ask('get', () => getBatch(store, batch, retentionMs / usesPerRetention));
        for (const { hash, body } of rows) found.set(hash, body);
      }
      return found;
    },
    sweep: async () => {
      for (let removed = 0; ; await setImmediate()) {
        const batch = await ask('sweep', () => sweepBatch(store, retentionMs));
        removed += batch;
        if (batch < batchSize) return { removed };
      }
    },
    close: asking.close,
  };
}

/** In the order of their hashes, so that two writers of the same bodies don't wait for each other. */
async function putBatch({ db, now }: Store, bodies: readonly StoredBody[]): Promise<void> {
  const sorted = [...new Map(bodies.map((one) => [one.hash, one])).values()].sort((one, other) =>
    one.hash < other.hash ? -1 : 1,
  );
  await db
    .insertInto('holdfast_conversations')
    .values(sorted.map(({ hash, body }) => ({ hash, body, used_at: now })))
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ used_at: now }))
    .execute();
}

async function getBatch(
  { db, now }: Store,
  hashes: readonly string[],
  usedEveryMs: number,
): Promise<readonly StoredBody[]> {
  const isOld = sql<boolean>`used_at < ${now} - ${Math.floor(usedEveryMs)}`;
  const rows = await db
    .selectFrom('holdfast_conversations')
    .select(['hash', 'body', sql<number | boolean>`${isOld}`.as('is_old')])
    .where('hash', 'in', hashes)
    .execute();
  const old = rows.filter(({ is_old }) => Boolean(is_old)).map(({ hash }) => hash);
  if (old.length > 0) {
    await db
      .updateTable('holdfast_conversations')
      .set({ used_at: now })
      .where('hash', 'in', old.sort())
      .execute();
  }
  return rows;
}

/** The condition stands twice: a body may be used while PostgreSQL waits for its row. */
async function sweepBatch({ db, now }: Store, retentionMs: number): Promise<number> {
  const isPast = sql<boolean>`used_at <= ${now} - ${retentionMs}`;
  const batch = db
    .selectFrom('holdfast_conversations')
    .select('hash')
    .where(isPast)
    .orderBy('used_at')
    .limit(batchSize);
  const removed = await db
    .deleteFrom('holdfast_conversations')
    .where('hash', 'in', batch)
    .where(isPast)
    .executeTakeFirst();
  return Number(removed.numDeletedRows);
}

function batches<One>(all: readonly One[]): readonly (readonly One[])[] {
  return Array.from({ length: Math.ceil(all.length / batchSize) }, (_, index) =>
    all.slice(index * batchSize, (index + 1) * batchSize),
  );
}
