import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient, QueryConfig } from 'pg';

/** How long a database is waited for. */
export type PoolTimeouts = {
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
};

/** A server that is alive ends a statement itself at the timeout, and says so better than this end can. */
const graceMs = 500;

/** pg takes the timeout of a single query too, though its types don't say so. */
type TimedQuery = QueryConfig & { readonly query_timeout: number };

/**
 * Returns a pool as the ledger uses it: nothing waits for ever, a connection that gave no answer isn't
 * used again, and one that breaks ends no process.
 */
export function boundPool(
  pool: Pool,
  { connectTimeoutMs, statementTimeoutMs }: PoolTimeouts,
  end: () => Promise<void>,
): PostgresPool {
  const query_timeout = statementTimeoutMs + graceMs;
  return {
    end,
    connect: async () => {
      const client = await connectWithin(pool, connectTimeoutMs);
      let isBroken = false;
      const onError = (): void => {
        isBroken = true; // the statement in flight fails as well, and tells its caller
      };
      client.on('error', onError);
      const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
        try {
          const config: TimedQuery = { text, values: [...values], query_timeout };
          return await client.query(config);
        } catch (error) {
          if (!isAnswer(error)) isBroken = true;
          throw error;
        }
      };
      const bound = {
        query,
        release: (destroy = false) => {
          client.off('error', onError);
          client.release(destroy || isBroken);
        },
      };
      // Kysely asks for a text with its values only, since its dialect is given no cursor
      return bound as unknown as PostgresPoolClient;
    },
  };
}

/** An error that the server itself sent has a SQLSTATE of five characters. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code));
}

async function connectWithin(pool: Pool, timeoutMs: number): Promise<PoolClient> {
  let timer: NodeJS.Timeout | undefined;
  const connecting = pool.connect();
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      connecting.then(
        (client) => client.release(),
        () => {}, // it was given up: the timeout has told
      );
      reject(new Error(`no connection within ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([connecting, late]);
  } finally {
    clearTimeout(timer);
  }
}
