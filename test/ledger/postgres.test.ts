import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openPostgres } from '../../src/ledger/index.js';
import { claimed, done, type OpenFixture, request } from '../support/ledger-fixture.js';
import { describeLedger } from '../support/ledger-suite.js';
import { type PostgresServer, poolTo, startPostgres } from '../support/postgres.js';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

const open: OpenFixture = async (options = {}) => {
  const connectionString = await server.createDatabase();
  const ledger = await openPostgres({ connectionString, ...options });
  const beside = poolTo(connectionString, 1);
  return {
    ledger,
    openAgain: () => openPostgres({ connectionString, ...options }),
    execute: async (text) => (await beside.query(text)).rows,
    breakStore: async () => {
      await beside.query('drop table holdfast_effects');
    },
    dispose: async () => {
      await ledger.close();
      await beside.end();
    },
  };
};

describeLedger('PostgreSQL', open);

describe('the connections of a PostgreSQL ledger', () => {
  it('keep the statements of claim and settle prepared', async () => {
    const pool = poolTo(await server.createDatabase(), 1);
    const ledger = await openPostgres({ pool });
    await ledger.settle(await claimed(ledger), done(1));
    const { rows } = await pool.query<{ name: string; kind: string }>(
      "select name, split_part(statement, ' ', 1) as kind from pg_prepared_statements order by kind",
    );
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ['insert', 'update'],
    );
    for (const { name } of rows) assert.match(name, /^holdfast_[0-9a-f]{32}$/);
    await ledger.close();
    await pool.end();
  });

  it('may forget what was prepared where the ledger is told that they keep nothing', async () => {
    const pool = poolTo(await server.createDatabase(), 1);
    const ledger = await openPostgres({ pool, keepsStatements: false });
    for (const key of ['key-1', 'key-2']) {
      const answer = await ledger.claim(request({ key }));
      assert.equal(answer.kind, 'claimed');
      await pool.query('deallocate all');
    }
    await ledger.close();
    await pool.end();
  });
});
