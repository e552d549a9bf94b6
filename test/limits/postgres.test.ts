import { after, before } from 'node:test';
import { postgresFixture } from '../support/limiter-fixtures.js';
import { describeLimiter } from '../support/limiter-suite.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

describeLimiter('PostgreSQL', async () => postgresFixture(await server.createDatabase()));
