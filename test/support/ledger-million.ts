import Database from 'better-sqlite3';
import type { PoolClient } from 'pg';
import { prepare } from '../../src/database/sqlite.js';
import { openPostgres } from '../../src/ledger/index.js';
import type { Ledger } from '../../src/ledger/ledger.js';
import { ledgerSchema as store, type Tables } from '../../src/ledger/schema.js';
import { createSqlLedger } from '../../src/ledger/sql-ledger.js';
import { ledgerIn } from '../../src/ledger/sqlite.js';
import { poolTo } from './postgres.js';

/** A ledger of which every statement can be looked at. */
export type WatchedLedger = {
  readonly ledger: Ledger;
  /** Runs statements of a test's own, which aren't watched. */
  readonly execute: (statement: string) => Promise<readonly Record<string, unknown>[]>;
  /** Returns the plan of each statement that the ledger runs for what it is asked, one text each. */
  readonly plansOf: (ask: () => Promise<unknown>) => Promise<readonly string[]>;
  /** How the store words a plan that reads a whole table. */
  readonly wholeTable: RegExp;
  /** A query that lists the indexes that can be made again, by name and definition. */
  readonly indexes: string;
  readonly close: () => Promise<void>;
};

export const retentionMs = 1_000_000_000;

/** Opens a file whose statements are watched. */
export async function watchSqlite(path: string): Promise<WatchedLedger> {
  const seen: string[] = [];
  const file = new Database(path, { verbose: (text) => seen.push(String(text)) });
  const ledger = createSqlLedger(
    ledgerIn(await prepare<Tables>(file, { store, busyTimeoutMs: 1_000 })),
    retentionMs,
  );
  const beside = new Database(path);
  beside.pragma('synchronous = off');
  const execute = async (text: string): Promise<readonly Record<string, unknown>[]> => {
    const statement = beside.prepare<[], Record<string, unknown>>(text);
    if (statement.reader) return statement.all();
    statement.run();
    return [];
  };
  return {
    ledger,
    execute,
    plansOf: async (ask) => {
      seen.length = 0;
      await ask();
      const plans = [];
      for (const text of seen) {
        const rows = await execute(`explain query plan ${text}`);
        plans.push(rows.map(({ detail }) => String(detail)).join('\n'));
      }
      return plans;
    },
    wholeTable: /\bSCAN holdfast_effects(?! USING)/,
    indexes:
      "select name, sql from sqlite_schema where type = 'index' and sql is not null and tbl_name = 'holdfast_effects'",
    close: async () => {
      await ledger.close();
      beside.close();
    },
  };
}

/** Opens a database whose statements are watched. */
export async function watchPostgres(url: string): Promise<WatchedLedger> {
  const seen: Statement[] = [];
  const pool = poolTo(url);
  pool.on('connect', (client) => watch(client, seen));
  const ledger = await openPostgres({ pool, retentionMs, statementTimeoutMs: 60_000 });
  const beside = poolTo(url, 1);
  const execute = async (text: string): Promise<readonly Record<string, unknown>[]> =>
    (await beside.query(text)).rows;
  return {
    ledger,
    execute,
    plansOf: async (ask) => {
      seen.length = 0;
      await ask();
      const plans = [];
      for (const { text, values } of [...seen]) {
        const { rows } = await beside.query({ text: `explain ${text}`, values: [...values] });
        plans.push(rows.map((row) => String(row['QUERY PLAN'])).join('\n'));
      }
      return plans;
    },
    wholeTable: /\bSeq Scan on holdfast_effects/,
    indexes:
      "select indexname as name, indexdef as sql from pg_indexes where tablename = 'holdfast_effects' and indexname not like '%pkey'",
    close: async () => {
      await ledger.close();
      await pool.end();
      await beside.end();
    },
  };
}

type Statement = { readonly text: string; readonly values: readonly unknown[] };

/** The ledger asks with one object of text and values: see src/database/postgres-pool.ts. */
function watch(client: PoolClient, seen: Statement[]): void {
  const query = client.query.bind(client) as (statement: Statement) => Promise<unknown>;
  const watched = (statement: Statement): Promise<unknown> => {
    seen.push(statement);
    return query(statement);
  };
  Object.assign(client, { query: watched });
}
