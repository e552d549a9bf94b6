import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import {
  type ConversationStore,
  ConversationsUnavailableError,
  openSqliteConversations,
} from 'holdfast/conversations';

/** A store of conversations in a file of its own. */
export type TestConversations = {
  readonly conversations: ConversationStore;
  readonly path: string;
  /** Takes bodies away that match a pattern of SQL's `like`. */
  readonly forget: (pattern: string) => void;
  /** Lets the next uses of the store get no answer, as in an outage. */
  readonly failNext: (uses: number) => void;
  /** Closes the store and removes its file. */
  readonly remove: () => Promise<void>;
};

/** Opens a store of conversations for a test file; remove it in the file's `after`. */
export async function openTestConversations(): Promise<TestConversations> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-conversations-'));
  const path = join(folder, 'conversations.db');
  const own = await openSqliteConversations({ path });
  let failures = 0;
  const mayFail = (operation: string): void => {
    if (failures < 1) return;
    failures -= 1;
    throw new ConversationsUnavailableError(operation, new Error('the disk is away'));
  };
  const conversations: ConversationStore = {
    ...own,
    put: async (bodies) => {
      mayFail('put');
      await own.put(bodies);
    },
    get: async (hashes) => {
      mayFail('get');
      return own.get(hashes);
    },
  };
  const beside = new Database(path);
  return {
    conversations,
    path,
    forget: (pattern) =>
      void beside.prepare('delete from holdfast_conversations where body like ?').run(pattern),
    failNext: (uses) => {
      failures = uses;
    },
    remove: async () => {
      await conversations.close();
      beside.close();
      await rm(folder, { recursive: true });
    },
  };
}
