import { after, before } from 'node:test';
import type { Pool } from 'pg';
import { openPostgresLimiter } from '../../src/limits/index.js';
import type { OpenLimiterFixture } from '../support/limiter-fixture.js';
import { describeLimiter } from '../support/limiter-suite.js';
import { type PostgresServer, poolTo, startPostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

const open: OpenLimiterFixture = async () => {
  const connectionString = await server.createDatabase();
  const limiter = await openPostgresLimiter({ connectionString });
  const beside = poolTo(connectionString, 1);
  return {
    limiter,
    elapse: (ms) => elapse(beside, ms),
    queued: (places) => until(async () => (await countPlaces(beside)) === places),
    dispose: async () => {
      await limiter.close();
      await beside.end();
    },
  };
};

/** Lets time pass for what is stored: the database's clock is nobody's to turn. */
async function elapse(pool: Pool, ms: number): Promise<void> {
  await pool.query(
    'select holdfast_limit_shift(key, -$1::double precision) from holdfast_limit_keys',
    [ms],
  );
}

async function countPlaces(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ places: number }>(
    'select count(*)::int as places from holdfast_limit_places',
  );
  return rows[0]?.places ?? 0;
}

describeLimiter('PostgreSQL', open);
