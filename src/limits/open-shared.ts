import { readDatabaseAddress, refuseAddress } from '../database/address.js';

/**
 * Opens what workers may share at an address: `memory` for one process alone, or
 * `postgres://user:password@host/database` for all that use it.
 * @throws InvalidRequestError for another address, and what the store's own functions throw
 */
export async function openShared<Store>(
  address: string,
  open: {
    readonly memory: () => Store;
    readonly postgres: (connectionString: string) => Promise<Store>;
  },
): Promise<Store> {
  if (address === 'memory') return open.memory();
  const read = readDatabaseAddress(address);
  if (read.kind === 'postgres') return open.postgres(read.connectionString);
  return refuseAddress(address, "must be 'memory' or postgres://user:password@host/database");
}
