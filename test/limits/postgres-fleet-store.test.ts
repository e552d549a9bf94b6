import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgres } from '../../src/ledger/index.js';
import { bucketMsOf } from '../../src/limits/fleet-store.js';
import { openFleetStore } from '../../src/limits/open-fleet-store.js';
import { openPostgresFleetStore } from '../../src/limits/postgres-fleet-store.js';
import { openPostgresLimiter } from '../../src/limits/postgres-limiter.js';
import { describeFleetStore } from '../support/fleet-store-suite.js';
import { type PostgresServer, poolTo, startPostgres } from '../support/postgres.js';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

describeFleetStore('PostgreSQL', async () =>
  openPostgresFleetStore({ connectionString: await server.createDatabase() }),
);

describe("a fleet's store in PostgreSQL", () => {
  const figures = { percent: 10, windowMs: 100, minSamples: 100 };
  const empty = { figures, changes: [], asks: [], lease: 0 };

  it('keeps no row of a window that nobody asks for any more', async () => {
    const pool = poolTo(await server.createDatabase());
    const store = await openPostgresFleetStore({ pool });
    const { leaseBucket } = await store.exchange({ ...empty, window: 'left', lease: 1 });
    const { rows: kept } = await pool.query('select bucket from holdfast_fleet_counts');
    assert.deepEqual(kept, [{ bucket: String(leaseBucket) }]);
    await sleep(200);
    await store.exchange({ ...empty, window: 'another' });
    const { rows } = await pool.query('select bucket from holdfast_fleet_counts');
    assert.deepEqual(rows, []);
    await store.close();
    await pool.end();
  });

  it('answers reports of several windows that come at one moment, each with its own', async () => {
    const connectionString = await server.createDatabase();
    const stores = [
      await openPostgresFleetStore({ connectionString }),
      await openPostgresFleetStore({ connectionString }),
    ] as const;
    const long = { ...figures, windowMs: 60_000 };
    const { nowMs } = await stores[0].exchange({ ...empty, window: 'clock' });
    const bucket = Math.floor(nowMs / bucketMsOf(long.windowMs));
    const said = Array.from({ length: 60 }, (_, index) => `window-${(index * 7) % 20}`);
    const rounds = await Promise.all(
      stores.map((store) =>
        Promise.all(
          said.map(async (window, index) => {
            const changes = [{ bucket, calls: 1 + (index % 20), retries: 0 }];
            return store.exchange({ ...empty, figures: long, window, changes });
          }),
        ),
      ),
    );
    assert.equal(rounds.flat().length, 120);
    for (const [index, window] of said.slice(0, 20).entries()) {
      const { calls } = await stores[0].exchange({ ...empty, figures: long, window });
      assert.equal(calls, 6 * (1 + index), window);
    }
    for (const store of stores) await store.close();
  });

  it('is safe for many that open a new database at the same moment', async () => {
    const connectionString = await server.createDatabase();
    const stores = await Promise.all(
      Array.from({ length: 8 }, () => openPostgresFleetStore({ connectionString })),
    );
    for (const store of stores) await store.close();
  });

  it('stands beside a ledger and a limiter in one database', async () => {
    const connectionString = await server.createDatabase();
    const stores = [
      await openPostgres({ connectionString }),
      await openPostgresLimiter({ connectionString }),
      await openPostgresFleetStore({ connectionString }),
      await openPostgresFleetStore({ connectionString }),
    ];
    for (const store of stores) await store.close();
  });

  it('refuses a missing database', async () => {
    const connectionString = `${await server.createDatabase()}_missing`;
    await assert.rejects(openPostgresFleetStore({ connectionString }), {
      kind: 'fleet-store-unusable',
      message: /does not exist/,
    });
  });

  it('is opened by its address, as the one in memory is', async () => {
    const stores = [
      await openFleetStore('memory'),
      await openFleetStore(await server.createDatabase()),
    ];
    assert.deepEqual(
      stores.map(({ kind }) => kind),
      ['memory', 'postgres'],
    );
    for (const store of stores) await store.close();
  });

  it('is opened by no other address, and no password is told', async () => {
    await assert.rejects(openFleetStore('redis://me:secret@host'), (error: Error) => {
      assert.equal('kind' in error && error.kind, 'invalid-request');
      assert.match(error.message, /^address must be 'memory' or postgres:/);
      assert.ok(!error.message.includes('secret'));
      return true;
    });
  });
});
