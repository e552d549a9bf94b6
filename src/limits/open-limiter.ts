import { throwFaults } from '../budget/errors.js';
import type { Limiter } from './limiter.js';
import { createMemoryLimiter } from './memory-limiter.js';
import { openPostgresLimiter } from './postgres-limiter.js';

/**
 * Opens the limiter at an address: `memory` for this process alone, or `postgres://user:password@host/database` for
 * all that share it.
 * @throws InvalidRequestError for another address, and what openPostgresLimiter throws
 */
export async function openLimiter(address: string): Promise<Limiter> {
  if (address === 'memory') return createMemoryLimiter();
  const isPostgres = /^postgres(ql)?:\/\//.test(address) && URL.canParse(address);
  if (isPostgres) return openPostgresLimiter({ connectionString: address });
  // A password may stand in it.
  const value = address.split('://')[0];
  throwFaults([{ field: 'address', rule: 'must be memory or postgres://…', value }]);
  throw new Error('unreachable: a fault was thrown');
}
