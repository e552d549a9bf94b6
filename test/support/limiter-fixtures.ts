import { escapeIdentifier, type Pool } from 'pg';
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

/**
 * Returns a limiter in a database of its own whose clock stands still but for what a test lets pass. There, a function
 * of that name goes before the server's own.
 */
export async function heldPostgresFixture(connectionString: string): Promise<LimiterFixture> {
  const beside = poolTo(connectionString, 1);
  const { rows } = await beside.query<{ name: string }>('select current_database() as name');
  await beside.query(`
    alter database ${escapeIdentifier(rows[0]?.name ?? '')} set search_path = public, pg_catalog;
    create table held_clock as select pg_catalog.clock_timestamp() as at;
    create function public.clock_timestamp() returns timestamptz
    language sql as 'select at from public.held_clock'`);
  const limiter = await openPostgresLimiter({ connectionString });
  return {
    limiter,
    elapse: async (ms) => {
      await beside.query("update held_clock set at = at + $1 * interval '1 ms'", [ms]);
    },
    queued: (places) => until(async () => (await countPlaces(beside)) === places),
    dispose: async () => {
      await limiter.close();
      await beside.end();
    },
  };
}

/** Lets time pass for what is stored: the database's clock goes on. */
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
