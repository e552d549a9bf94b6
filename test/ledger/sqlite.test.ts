import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openSqlite } from '../../src/ledger/index.js';
import type { OpenFixture } from '../support/ledger-fixture.js';
import { describeLedger } from '../support/ledger-suite.js';

const open: OpenFixture = async (options = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-ledger-'));
  const path = join(folder, 'ledger.db');
  const ledger = await openSqlite({ path, ...options });
  const beside = new Database(path);
  return {
    ledger,
    openAgain: () => openSqlite({ path, ...options }),
    execute: async (text) => {
      const statement = beside.prepare<[], Record<string, unknown>>(text);
      if (statement.reader) return statement.all();
      statement.run();
      return [];
    },
    breakStore: async () => {
      beside.exec('drop table holdfast_effects');
    },
    dispose: async () => {
      await ledger.close();
      beside.close();
      await rm(folder, { recursive: true });
    },
  };
};

describeLedger('SQLite', open);
