import { createAsking } from '../database/asking.js';
import type { Database } from '../database/database.js';
import { openPostgresDatabase, type PostgresAccess } from '../database/postgres.js';
import { fleetSchema } from './fleet-schema.js';
import {
  bucketMsOf,
  type FleetAnswer,
  type FleetReport,
  type FleetStore,
  leaseMsOf,
} from './fleet-store.js';
import { gathered } from './gathered.js';

/** Where a fleet's PostgreSQL database is; by default two connections are held at most. */
export type PostgresFleetStoreOptions = PostgresAccess;

/** One statement at a time says all that there is to say; opening needs another. */
const maxConnections = 2;

const exchangeText = `
  select answer.*
  from jsonb_array_elements($1::jsonb) as report,
    lateral holdfast_fleet_exchange(
      report->>'window', (report->>'windowMs')::double precision,
      (report->>'bucketMs')::bigint, (report->>'leaseMs')::bigint,
      (report->>'percent')::numeric, (report->>'minSamples')::bigint,
      array(select jsonb_array_elements_text(report->'buckets')::bigint),
      array(select jsonb_array_elements_text(report->'calls')::bigint),
      array(select jsonb_array_elements_text(report->'retries')::bigint),
      array(select jsonb_array_elements_text(report->'asks')::bigint),
      (report->>'lease')::bigint
    ) as answer
  order by (report->>'place')::bigint
`;

/** 64-bit integers come as text. */
type Row = Readonly<
  Record<
    'now_ms' | 'granted' | 'leased' | 'lease_bucket' | 'window_calls' | 'window_retries',
    string
  >
>;

/**
 * Opens a fleet's store in a PostgreSQL database (12 or newer), which the ledger may share. Its clock is the
 * server's.
 * @throws InvalidRequestError for options that break their rules
 * @throws FleetStoreUnusableError where the database refuses
 * @throws FleetStoreUnavailableError where it can't be reached
 */
export async function openPostgresFleetStore(
  options: PostgresFleetStoreOptions,
): Promise<FleetStore> {
  const own = 'pool' in options ? options : { maxConnections, ...options };
  const database = await openPostgresDatabase<unknown>({ ...own, mustExist: false }, fleetSchema);
  return storeOver(database);
}

function storeOver({ prepare, close }: Database<unknown>): FleetStore {
  const run = prepare(exchangeText);
  const exchange = gathered(async (reports: readonly FleetReport[]) => {
    const ordered = reports.map(toStatement).toSorted(byWindow);
    const { rows } = await run([JSON.stringify(ordered)]);
    return (rows as readonly Row[]).map(toAnswer); // the statement asks for the columns of a row
  });
  const asking = createAsking(fleetSchema, close);
  return {
    kind: 'postgres',
    exchange: (report) => asking.ask('exchange', () => exchange(report)),
    close: asking.close,
  };
}

function toStatement({ figures, changes, ...others }: FleetReport, place: number) {
  return {
    ...{ ...figures, ...others, place },
    bucketMs: bucketMsOf(figures.windowMs),
    leaseMs: leaseMsOf(figures.windowMs),
    buckets: changes.map(({ bucket }) => bucket),
    calls: changes.map(({ calls }) => calls),
    retries: changes.map(({ retries }) => retries),
  };
}

type Named = { readonly window: string };

/** All take the windows' locks in one order: none waits for another that waits for it. */
function byWindow({ window: one }: Named, { window: other }: Named): number {
  return Number(one > other) - Number(one < other);
}

function toAnswer(row: Row): FleetAnswer {
  return {
    nowMs: Number(row.now_ms),
    granted: Number(row.granted),
    leased: Number(row.leased),
    leaseBucket: Number(row.lease_bucket),
    calls: Number(row.window_calls),
    retries: Number(row.window_retries),
  };
}
