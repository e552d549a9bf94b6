import { createHash } from 'node:crypto';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Database } from './database.js';

/** How a store uses a pool. */
export type PoolUse = {
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** Connections keep what `prepare` is given. */
  readonly keepsStatements: boolean;
};

/** A pool as a store uses it. */
export type BoundPool = {
  /** For Kysely. */
  readonly pool: PostgresPool;
  readonly prepare: Database<unknown>['prepare'];
};

/** A server that is alive ends a statement itself at the timeout, and says so better than this end can. */
const graceMs = 500;

/** pg takes the timeout of a single query too, though its types don't say so. */
type Statement = QueryConfig<unknown[]> & { readonly query_timeout: number };

type BoundClient = {
  readonly query: (statement: Statement) => Promise<QueryResult>;
  readonly release: (destroy?: boolean) => void;
};

/**
 * Returns a pool in which nothing waits for ever, a connection that gave no answer isn't used again, and
 * one that breaks ends no process.
 */
export function boundPool(pool: Pool, use: PoolUse, end: () => Promise<void>): BoundPool {
  const query_timeout = use.statementTimeoutMs + graceMs;
  const connect = async (): Promise<BoundClient> =>
    bind(await connectWithin(pool, use.connectTimeoutMs));
  const connectKysely = async (): Promise<PostgresPoolClient> => {
    const { query, release } = await connect();
    const client = {
      query: (text: string, values: readonly unknown[]) =>
        query({ text, values: [...values], query_timeout }),
      release,
    };
    // Kysely asks for a text with its values only, since its dialect is given no cursor
    return client as unknown as PostgresPoolClient;
  };
  return {
    pool: { end, connect: connectKysely },
    prepare: (text) => {
      const name = use.keepsStatements ? { name: nameOf(text) } : {};
      const statement = { text, query_timeout, ...name };
      return async (values) => {
        const client = await connect();
        try {
          const { rows, rowCount } = await client.query({ ...statement, values: [...values] });
          return { rows, changes: rowCount ?? 0 };
        } finally {
          client.release();
        }
      };
    },
  };
}

/** A connection refuses two texts by one name: those of another version may share a pool with these. */
function nameOf(text: string): string {
  return `holdfast_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

function bind(client: PoolClient): BoundClient {
  let isBroken = false;
  const onError = (): void => {
    isBroken = true; // the statement in flight fails as well, and tells its caller
  };
  client.on('error', onError);
  return {
    query: async (statement) => {
      try {
        return await client.query(statement);
      } catch (error) {
        if (!isAnswer(error)) isBroken = true;
        throw error;
      }
    },
    release: (destroy = false) => {
      client.off('error', onError);
      client.release(destroy || isBroken);
    },
  };
}

/** An error that the server itself sent has a SQLSTATE of five characters. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code));
}

async function connectWithin(pool: Pool, timeoutMs: number): Promise<PoolClient> {
  // an idle connection is handed out before anything else can happen: a timer would cost more than that
  if (pool.idleCount > pool.waitingCount) return pool.connect();
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
