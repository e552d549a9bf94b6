import { throwFaults } from '../budget/errors.js';
import type { FleetStore } from './fleet-store.js';
import { createMemoryFleetStore } from './memory-fleet-store.js';
import { openPostgresFleetStore } from './postgres-fleet-store.js';

/**
 * Opens the fleet's store at an address: `memory` for the budgets of one process, or
 * `postgres://user:password@host/database`.
 * @throws InvalidRequestError for another address, and what openPostgresFleetStore throws
 */
export async function openFleetStore(address: string): Promise<FleetStore> {
  if (address === 'memory') return createMemoryFleetStore();
  if (/^postgres(ql)?:\/\//.test(address) && URL.canParse(address)) {
    return openPostgresFleetStore({ connectionString: address });
  }
  const rule = "must be 'memory' or postgres://user:password@host/database";
  // a password may stand in it
  throwFaults([{ field: 'address', rule, value: address.split('://')[0] }]);
  throw new Error('unreachable: a fault was thrown');
}
