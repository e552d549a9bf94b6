import { z } from 'zod';
import { modelMessageSchema } from './model-schemas.js';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** Something that is put at the end of a conversation. */
export const conversationItemSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('message'), message: modelMessageSchema }),
  z.strictObject({
    kind: z.literal('result'),
    toolCallId: z.string(),
    toolName: z.string(),
    hash,
    /** True where an earlier call gave this result, and this one wasn't made. */
    repeated: z.literal(true).optional(),
  }),
]);

/** What a model is asked about a conversation that stands in the store, in place of the messages themselves. */
export const conversationTurnSchema = z.strictObject({
  /** What it was after the last turn; null at its beginning. */
  head: hash.nullable(),
  append: z.array(conversationItemSchema),
  /** Calls that leave the conversation with their results, by the ids that their turns gave them. */
  dropped: z.array(z.string()).optional(),
  /** The tools as they were sent once; the input's own `tools` are stored under this hash. */
  tools: hash.optional(),
});

/** Something that is put at the end of a conversation. */
export type ConversationItem = z.infer<typeof conversationItemSchema>;

/** What a model is asked about a conversation that stands in the store. */
export type ConversationTurn = z.infer<typeof conversationTurnSchema>;

/** What became of the conversation in a turn: its head, or that its tools have to be sent again. */
export const conversationEndSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('at'), head: hash }),
  z.strictObject({ kind: z.literal('tools-lost') }),
]);

/** What became of the conversation in a turn. */
export type ConversationEnd = z.infer<typeof conversationEndSchema>;
