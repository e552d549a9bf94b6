import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { done, request } from '../support/ledger-fixture.js';
import {
  retentionMs,
  type WatchedLedger,
  watchPostgres,
  watchSqlite,
} from '../support/ledger-million.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';

const rows = 1_000_000;
const past = 2_500;
const now = Date.now(); // the rows' ages are far larger than any difference of clocks

let folder: string;
let server: PostgresServer;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-million-'));
  server = await startPostgres();
});
after(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) select`;
const stores = {
  SQLite: {
    open: () => watchSqlite(join(folder, 'million.db')),
    select: (columns: string) => `${numbers} ${columns} from n`,
  },
  PostgreSQL: {
    open: async () => watchPostgres(await server.createDatabase()),
    select: (columns: string) => `select ${columns} from generate_series(1, ${rows}) as n(i)`,
  },
};

for (const [name, { open, select }] of Object.entries(stores)) {
  describe(`a ${name} ledger of 1,000,000 effects`, () => {
    let watched: WatchedLedger;
    before(async () => {
      watched = await open();
      await fill(watched, select);
    });
    after(() => watched.close());

    it('claims, settles, renews, resolves and finds by an index', async () => {
      const { ledger, wholeTable } = watched;
      const plans = await watched.plansOf(async () => {
        const fresh = await ledger.claim(request({ key: 'fresh' }));
        assert.equal(fresh.kind, 'claimed');
        const replay = request({ key: 'key-500000', fingerprint: 'arguments-1' });
        assert.equal((await ledger.claim(replay)).kind, 'replayed');
        const claim = { key: 'fresh', epoch: 1 };
        assert.equal(await ledger.renew(claim, 90_000), true);
        assert.equal(await ledger.settle(claim, done(1)), 'settled');
        assert.equal(await ledger.settle(claim, done(2)), 'stale');
        await ledger.resolve('fresh', { end: { kind: 'not-done' }, by: 'dana', note: '' });
      });
      assert.ok(plans.length >= 8);
      for (const plan of plans) assert.doesNotMatch(plan, wholeTable);
    });

    it('lists by an index', async () => {
      const { ledger, wholeTable } = watched;
      const first = await ledger.list({ limit: 10 });
      assert.equal(first.entries.length, 10);
      const plans = await watched.plansOf(async () => {
        await ledger.list({ limit: 10, after: first.next ?? undefined });
        await ledger.list({ limit: 10, state: 'unknown' });
        await ledger.list({ limit: 10, workflowId: 'ticket-7' });
        await ledger.list({ limit: 10, tool: 'refund_order' });
      });
      assert.equal(plans.length, 4);
      for (const plan of plans) assert.doesNotMatch(plan, wholeTable);
    });

    it('looks for the beginning of a key in that range of the primary key alone', async () => {
      const plans = await watched.plansOf(async () => {
        assert.deepEqual((await watched.ledger.list({ keyPrefix: 'deadbeef' })).entries, []);
      });
      assert.equal(plans.length, 1);
      assert.match(plans[0] ?? '', /\(key>\? AND key<\?\)|Index Cond: \(\(key >= /);
    });

    it('sweeps by an index, in batches of at most 1,000 rows', async () => {
      const { ledger, wholeTable } = watched;
      const sums = [0];
      const plans = await watched.plansOf(async () => {
        const swept = await ledger.sweep({
          onBatch: ({ removed, expired }) => sums.push(removed + expired),
        });
        assert.deepEqual(swept, { removed: past, expired: past });
      });
      const sizes = sums.slice(1).map((sum, index) => sum - (sums[index] ?? 0));
      assert.deepEqual(sizes, [1_000, 1_000, 500, 1_000, 1_000, 500]);
      for (const plan of plans) assert.doesNotMatch(plan, wholeTable);
    });
  });
}

/** Of the million, 2,500 are past their retention and 2,500 have run out of their lease. */
async function fill(watched: WatchedLedger, select: (columns: string) => string): Promise<void> {
  const settledAt = `${now} - case when i <= ${past} then ${2 * retentionMs} else ${rows} - i end`;
  const isLost = `i > ${rows - past}`;
  const columns = {
    key: "'key-' || i",
    fingerprint: "'arguments-1'",
    state: `case when ${isLost} then 'claimed' else 'done' end`,
    epoch: '1',
    owner: "'owner-1'",
    namespace: "'default'",
    workflow_id: "'ticket-' || (i % 1000)",
    run_id: "'run-1'",
    tool: "'refund_order'",
    downstream: "'orders'",
    lease_until: settledAt,
    first_claimed_at: settledAt,
    claimed_at: settledAt,
    settled_at: `case when ${isLost} then null else ${settledAt} end`,
    ending: `case when ${isLost} then null else '{"kind":"result","value":1}' end`,
  };
  // an index of sorted rows is made much faster than one that grows row by row
  const indexes = await watched.execute(watched.indexes);
  for (const { name } of indexes) await watched.execute(`drop index ${name}`);
  await watched.execute(
    `insert into holdfast_effects (${Object.keys(columns)}) ${select(String(Object.values(columns)))}`,
  );
  for (const { sql } of indexes) await watched.execute(String(sql));
  await watched.execute('analyze');
}
