import { Pool } from 'pg';
import { type PostgresServer, startPostgresServer } from '../../src/lab/postgres-server.js';

export type { PostgresServer } from '../../src/lab/postgres-server.js';

// no test outlives the machine's power: nothing is written twice for its sake
const settings = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'shared_buffers=64MB',
  'maintenance_work_mem=256MB',
];

/** Starts a server of a test file's own; stop it in the file's `after`. */
export function startPostgres(): Promise<PostgresServer> {
  return startPostgresServer({ settings });
}

/** Returns a pool that no test has to guard against the server's end. */
export function poolTo(url: string, max = 10): Pool {
  const pool = new Pool({ connectionString: url, max });
  pool.on('error', () => {}); // an ended pool still takes leave of its connections
  return pool;
}
