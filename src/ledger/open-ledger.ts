import { throwFaults } from '../budget/errors.js';
import { readDatabaseAddress } from '../database/address.js';
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
  const read = readDatabaseAddress(address);
  switch (read.kind) {
    case 'postgres':
      return openPostgres({ ...options, connectionString: read.connectionString });
    case 'sqlite':
      return openSqlite({ ...options, path: read.path });
    default:
      // A password may stand in it.
      throwFaults([{ field: 'address', rule: read.rule, value: address.split('://')[0] }]);
      throw new Error('unreachable: a fault was thrown');
  }
}
