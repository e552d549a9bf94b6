import { openAt } from '../database/address.js';
import type { Ledger } from './ledger.js';
import type { LedgerOptions } from './options.js';
import { openPostgres } from './postgres.js';
import { openSqlite } from './sqlite.js';

export {
  type DatabaseAddress as LedgerAddress,
  readDatabaseAddress as readLedgerAddress,
} from '../database/address.js';

/**
 * Opens the ledger at an address.
 * @throws InvalidRequestError for an address of neither store, and what openSqlite and openPostgres throw
 */
export async function openLedger(address: string, options: LedgerOptions = {}): Promise<Ledger> {
  return openAt(address, {
    postgres: (connectionString) => openPostgres({ ...options, connectionString }),
    sqlite: (path) => openSqlite({ ...options, path }),
  });
}
