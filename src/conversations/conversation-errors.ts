import { HoldfastError } from '../budget/errors.js';
import { reasonOf } from '../database/database-errors.js';

/** The store gave no answer: it is down, locked, full or read-only. */
export class ConversationsUnavailableError extends HoldfastError {
  readonly kind = 'conversations-unavailable';
  override readonly name = 'ConversationsUnavailableError';

  constructor(
    /** What was asked for, as a verb: `put`, `get`, `open`. */
    readonly operation: string,
    cause: unknown,
  ) {
    super(`The conversations could not ${operation}: ${reasonOf(cause)}`, { cause });
  }
}

/** A database that can't keep conversations, whatever is tried again. */
export class ConversationsUnusableError extends HoldfastError {
  readonly kind = 'conversations-unusable';
  override readonly name = 'ConversationsUnusableError';
}

/** A part of a conversation that isn't in the store: it was swept, or the workers use different stores. */
export class ConversationLostError extends HoldfastError {
  readonly kind = 'conversation-lost';
  override readonly name = 'ConversationLostError';

  constructor(
    /** What isn't there. */
    readonly hashes: readonly string[],
  ) {
    super(
      `${hashes.length} parts of the conversation are not in the store (${hashes[0] ?? ''} is the first): ` +
        'let all workers use the same one, and keep it longer than workflows run.',
    );
  }
}
