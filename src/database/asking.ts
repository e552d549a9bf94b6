import { HoldfastError } from '../budget/errors.js';
import type { StoreSchema } from './database.js';

/** How a store asks its database. */
export type Asking = {
  /** Runs what is asked for, which is named by a verb; throws the store's `unavailable` where there is no answer. */
  readonly ask: <Answer>(operation: string, run: () => Promise<Answer>) => Promise<Answer>;
  /** Closes the database, once however often it is called: whatever is asked from then on has no answer. */
  readonly close: () => Promise<void>;
};

/** Lets a store ask its database until it is closed. */
export function createAsking({ errors }: StoreSchema, closeDatabase: () => Promise<void>): Asking {
  let closing: Promise<void> | undefined;
  return {
    ask: async (operation, run) => {
      if (closing !== undefined) {
        throw errors.unavailable(operation, new Error('it has been closed'));
      }
      try {
        return await run();
      } catch (error) {
        if (error instanceof HoldfastError) throw error;
        throw errors.unavailable(operation, error);
      }
    },
    close: () => {
      closing ??= closeDatabase();
      return closing;
    },
  };
}
