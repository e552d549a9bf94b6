import { after, before } from 'node:test';
import { openPostgresConversations } from '../../src/conversations/index.js';
import { describeConversations } from '../support/conversations-suite.js';
import { type PostgresServer, poolTo, startPostgres } from '../support/postgres.js';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

describeConversations('PostgreSQL', async (options = {}) => {
  const connectionString = await server.createDatabase();
  const store = await openPostgresConversations({ connectionString, ...options });
  const beside = poolTo(connectionString, 1);
  return {
    store,
    execute: (statement) => beside.query(statement),
    dispose: async () => {
      await store.close();
      await beside.end();
    },
  };
});
