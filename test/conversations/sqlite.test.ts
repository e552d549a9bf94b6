import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openSqliteConversations } from '../../src/conversations/index.js';
import { describeConversations } from '../support/conversations-suite.js';

describeConversations('SQLite', async (options = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-conversations-'));
  const path = join(folder, 'conversations.db');
  const store = await openSqliteConversations({ path, ...options });
  const beside = new Database(path);
  return {
    store,
    execute: async (statement) => beside.prepare(statement).run(),
    dispose: async () => {
      await store.close();
      beside.close();
      await rm(folder, { recursive: true });
    },
  };
});
