import { join } from 'node:path';
import { openPostgres, openSqlite } from '../../ledger/index.js';
import {
  PostgresMissingError,
  type PostgresServer,
  startPostgresServer,
} from '../postgres-server.js';
import { barePostgresPair, bareSqlitePair } from './bare-pairs.js';
import { ledgerPair } from './ledger-pair.js';
import type { PairContest } from './ledger-pairs.js';

/** A PostgreSQL that is measured, or why none is. */
export type FoundPostgres = PostgresServer | { readonly missing: string };

/** Starts a server with PostgreSQL's own settings: a commit is on the disk, as it is for SQLite. */
export async function findPostgres(): Promise<FoundPostgres> {
  try {
    return await startPostgresServer();
  } catch (error) {
    if (error instanceof PostgresMissingError) return { missing: error.message };
    throw error;
  }
}

/** Returns SQLite's ledger and bare statements, on two files of a folder. */
export async function openSqliteContest(folder: string): Promise<PairContest> {
  const barePath = join(folder, 'bare.db');
  await (await openSqlite({ path: barePath })).close(); // makes the same table
  return {
    store: 'SQLite',
    inFlight: [1],
    ledger: ledgerPair(await openSqlite({ path: join(folder, 'ledger.db') })),
    bare: bareSqlitePair(barePath),
  };
}

/** Returns PostgreSQL's ledger and bare statements, on two databases of a server. */
export async function openPostgresContest(server: PostgresServer): Promise<PairContest> {
  const bareUrl = await server.createDatabase();
  await (await openPostgres({ connectionString: bareUrl })).close(); // makes the same table
  const connectionString = await server.createDatabase();
  return {
    store: 'PostgreSQL',
    inFlight: [1, 8],
    ledger: ledgerPair(await openPostgres({ connectionString })),
    bare: barePostgresPair(bareUrl),
  };
}
