import type { Limiter } from './limiter.js';
import { createMemoryLimiter } from './memory-limiter.js';
import { openShared } from './open-shared.js';
import { openPostgresLimiter } from './postgres-limiter.js';

/**
 * Opens the limiter at an address: `memory` for this process alone, or `postgres://user:password@host/database` for
 * all that share it.
 * @throws InvalidRequestError for another address, and what openPostgresLimiter throws
 */
export async function openLimiter(address: string): Promise<Limiter> {
  return openShared(address, {
    memory: createMemoryLimiter,
    postgres: (connectionString) => openPostgresLimiter({ connectionString }),
  });
}
