import type { FleetStore } from './fleet-store.js';
import { createMemoryFleetStore } from './memory-fleet-store.js';
import { openShared } from './open-shared.js';
import { openPostgresFleetStore } from './postgres-fleet-store.js';

/**
 * Opens the fleet's store at an address: `memory` for the budgets of one process, or
 * `postgres://user:password@host/database`.
 * @throws InvalidRequestError for another address, and what openPostgresFleetStore throws
 */
export async function openFleetStore(address: string): Promise<FleetStore> {
  return openShared(address, {
    memory: createMemoryFleetStore,
    postgres: (connectionString) => openPostgresFleetStore({ connectionString }),
  });
}
