import { HoldfastError } from '../budget/errors.js';
import { reasonOf } from '../database/database-errors.js';

/** The store that the fleet shares gave no answer: workers decide by their own windows until it does. */
export class FleetStoreUnavailableError extends HoldfastError {
  readonly kind = 'fleet-store-unavailable';
  override readonly name = 'FleetStoreUnavailableError';

  constructor(
    /** What was asked for, as a verb: `exchange`, `open`. */
    readonly operation: string,
    cause: unknown,
  ) {
    super(`The fleet's store could not ${operation}: ${reasonOf(cause)}`, { cause });
  }
}

/** A database that can't be shared by a fleet, whatever is tried again. */
export class FleetStoreUnusableError extends HoldfastError {
  readonly kind = 'fleet-store-unusable';
  override readonly name = 'FleetStoreUnusableError';
}
