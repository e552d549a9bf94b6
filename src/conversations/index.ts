export {
  ConversationLostError,
  ConversationsUnavailableError,
  ConversationsUnusableError,
} from './conversation-errors.js';
export type { ConversationStore, StoredBody, SweptBodies } from './conversations.js';
export {
  openConversations,
  openPostgresConversations,
  openSqliteConversations,
  type PostgresConversationOptions,
  type SqliteConversationOptions,
} from './open-conversations.js';
export type { ConversationOptions } from './options.js';
