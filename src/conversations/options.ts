/** What both stores take. */
export type ConversationOptions = {
  /**
   * Milliseconds that a part of a conversation is kept after its last use, at least: longer than a workflow may
   * stand still while it waits for a person.
   * @default 2_592_000_000 30 days
   */
  readonly retentionMs?: number | undefined;
};

/** The defaults of both stores. */
export const conversationDefaults = { retentionMs: 30 * 24 * 3_600_000 } as const;
