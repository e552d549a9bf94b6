import { after, before } from 'node:test';
import { openPostgres } from '../../src/ledger/index.js';
import type { OpenFixture } from '../support/ledger-fixture.js';
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
