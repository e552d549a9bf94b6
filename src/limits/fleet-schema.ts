import { type Kysely, type Migration, sql } from 'kysely';
import type { StoreSchema } from '../database/database.js';
import { FleetStoreUnavailableError, FleetStoreUnusableError } from './fleet-errors.js';

/** What the fleet's store keeps in its database. */
export const fleetSchema: StoreSchema = {
  noun: "fleet's store",
  migrationTable: 'holdfast_fleet_migrations',
  migrations: { '2026-11-30-exchange': { up: createExchange } } satisfies Record<string, Migration>,
  errors: {
    unusable: (message, options) => new FleetStoreUnusableError(message, options),
    unavailable: (operation, cause) => new FleetStoreUnavailableError(operation, cause),
  },
};

/**
 * One row a bucket of a window, and one function, so that an exchange is one statement: what it reads after it has
 * the window's lock is what the exchange before it has left. A crash of the server may lose the last second of
 * counts, which costs less than a wait for the disk at each exchange.
 */
async function createExchange(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table holdfast_fleet_counts (
      of_window text not null,
      bucket bigint not null,
      calls bigint not null,
      retries bigint not null,
      forget_at bigint not null,
      primary key (of_window, bucket)
    ) with (fillfactor = 50)
  `.execute(db);
  await sql`
    create index holdfast_fleet_counts_forget on holdfast_fleet_counts (forget_at)
  `.execute(db);
  await sql`
    create function holdfast_fleet_exchange(
      for_window text, window_ms double precision, bucket_ms bigint, lease_ms bigint,
      percent numeric, min_samples bigint,
      change_buckets bigint[], change_calls bigint[], change_retries bigint[],
      ask_buckets bigint[], lease bigint,
      out now_ms bigint, out granted bigint, out leased bigint, out lease_bucket bigint,
      out window_calls bigint, out window_retries bigint
    ) language plpgsql as $body$
    declare
      room bigint;
    begin
      perform set_config('synchronous_commit', 'off', true);
      perform pg_advisory_xact_lock(hashtextextended(for_window, 7466));
      now_ms := floor(extract(epoch from clock_timestamp()) * 1000);

      insert into holdfast_fleet_counts as counts (of_window, bucket, calls, retries, forget_at)
      select for_window, change.bucket, change.calls, change.retries,
        ceil((change.bucket + 1) * bucket_ms + window_ms)
      from unnest(change_buckets, change_calls, change_retries) as change (bucket, calls, retries)
      where (change.bucket + 1) * bucket_ms + window_ms > now_ms
      on conflict (of_window, bucket) do update
      set calls = counts.calls + excluded.calls, retries = counts.retries + excluded.retries;

      select
        coalesce(sum(counts.calls)
          filter (where counts.bucket * bucket_ms > now_ms - window_ms), 0),
        -- what is given back may come before what it gives back: alone it makes no room
        coalesce(sum(greatest(0, counts.retries)), 0)
      into window_calls, window_retries
      from holdfast_fleet_counts as counts
      where counts.of_window = for_window and counts.forget_at > now_ms;

      room := case
        when window_calls < min_samples then cardinality(ask_buckets) + lease
        else greatest(0, floor(round(percent, 6) * window_calls / 100) - window_retries)
      end;
      granted := least(cardinality(ask_buckets), room);
      leased := least(lease, room - granted);
      lease_bucket := (now_ms + lease_ms) / bucket_ms;
      window_retries := window_retries + granted + leased;

      insert into holdfast_fleet_counts as counts (of_window, bucket, calls, retries, forget_at)
      select for_window, charge.bucket, 0, sum(charge.retries),
        ceil((charge.bucket + 1) * bucket_ms + window_ms)
      from (
        select unnest(ask_buckets[1:granted]) as bucket, 1 as retries
        union all
        select lease_bucket, leased where leased > 0
      ) as charge
      group by charge.bucket
      on conflict (of_window, bucket) do update set retries = counts.retries + excluded.retries;

      -- of any window, since those that nobody asks for any more have nobody else to forget them
      delete from holdfast_fleet_counts as counts where counts.ctid = any (array(
        select old.ctid from holdfast_fleet_counts as old where old.forget_at <= now_ms
        order by old.forget_at limit 50 for update skip locked
      ));
    end
    $body$
  `.execute(db);
}
