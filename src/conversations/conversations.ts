/** Something that a conversation is made of, as it is stored. */
export type StoredBody = {
  /** SHA-256, 64 hex digits, of the body's canonical JSON. */
  readonly hash: string;
  /** The canonical JSON itself. */
  readonly body: string;
};

/** What one sweep did. */
export type SweptBodies = { readonly removed: number };

/**
 * Remembers what conversations are made of: messages, results of tools, and the lists that put them in order, each
 * by the hash of its content. A workflow's history then holds hashes.
 */
export interface ConversationStore {
  readonly kind: 'sqlite' | 'postgres';
  /** Milliseconds that a body is kept after its last use, at least. */
  readonly retentionMs: number;
  /**
   * Stores bodies; those that are there already are kept for another retention.
   * @throws ConversationsUnavailableError where the database gives no answer
   */
  put(bodies: readonly StoredBody[]): Promise<void>;
  /**
   * Returns the bodies that are there, by their hashes, and keeps them for another retention.
   * @throws ConversationsUnavailableError where the database gives no answer
   */
  get(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Removes bodies that nobody has used for the retention, a limited number with each statement. */
  sweep(): Promise<SweptBodies>;
  /** Closes the database. Later calls throw ConversationsUnavailableError. */
  close(): Promise<void>;
}
