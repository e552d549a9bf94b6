import type { Pool } from 'pg';
import { createMemoryLimiter } from '../../src/limits/memory-limiter.js';
import { openPostgresLimiter } from '../../src/limits/postgres-limiter.js';
import type { LimiterFixture } from './limiter-fixture.js';
import { createManualClock } from './manual-clock.js';
import { poolTo } from './postgres.js';
import { until } from './until.js';

/** Returns a limiter in memory whose time a test moves. */
export function memoryFixture(): LimiterFixture {
  const clock = createManualClock();
  const limiter = createMemoryLimiter(clock);
  return {
    limiter,
    elapse: clock.elapse,
    queued: async () => {}, // who asks takes its place at once
    dispose: () => limiter.close(),
  };
}

/** Returns a limiter in a database for which a test lets time pass. */
export async function postgresFixture(connectionString: string): Promise<LimiterFixture> {
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
}

/** Lets time pass for what is stored: the database's clock is nobody's to turn. */
export async function elapse(pool: Pool, ms: number): Promise<void> {
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
