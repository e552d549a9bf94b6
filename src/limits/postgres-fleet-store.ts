import type { Database } from '../database/database.js';
import { openPostgresDatabase, type PostgresAccess } from '../database/postgres.js';
import { FleetStoreUnavailableError } from './fleet-errors.js';
import { fleetSchema } from './fleet-schema.js';
import {
  bucketMsOf,
  type FleetAnswer,
  type FleetReport,
  type FleetStore,
  leaseMsOf,
} from './fleet-store.js';

/** Where a fleet's PostgreSQL database is; by default two connections are held at most. */
export type PostgresFleetStoreOptions = PostgresAccess;

/** A budget has one exchange of a window in flight, of a few milliseconds each. */
const maxConnections = 2;

const exchangeText = `
  select * from holdfast_fleet_exchange(
    $1::text, $2::double precision, $3::bigint, $4::bigint, $5::numeric, $6::bigint,
    $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint
  )
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
  let closing: Promise<void> | undefined;
  return {
    kind: 'postgres',
    exchange: async (report) => {
      try {
        const { rows } = await run(valuesOf(report));
        return toAnswer(rows[0] as Row); // the function returns one row of these columns
      } catch (error) {
        throw new FleetStoreUnavailableError('exchange', error);
      }
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function valuesOf({ window, figures, changes, asks, lease }: FleetReport): readonly unknown[] {
  const { windowMs, percent, minSamples } = figures;
  return [
    ...[window, windowMs, bucketMsOf(windowMs), leaseMsOf(windowMs), percent, minSamples],
    changes.map(({ bucket }) => bucket),
    changes.map(({ calls }) => calls),
    changes.map(({ retries }) => retries),
    asks,
    lease,
  ];
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
