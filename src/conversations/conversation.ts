import type { ConversationItem } from '../contract/conversation.js';
import { contentOf } from '../contract/keys.js';
import type { ModelMessage } from '../contract/model.js';
import { ConversationLostError } from './conversation-errors.js';
import type { ConversationStore, StoredBody } from './conversations.js';

/** A conversation as it was loaded. */
export type Conversation = {
  readonly messages: readonly ModelMessage[];
  /** Ids of calls that stand, or stood, in it: another one with the same id would be taken for it. */
  readonly callIds: ReadonlySet<string>;
};

/** One entry in the list of a conversation; what it holds stands under its hash. */
type Entry =
  | { readonly kind: 'message'; readonly hash: string }
  | Extract<ConversationItem, { kind: 'result' }>;

/** A part of a conversation's list. `base` is the part before it. */
type Part = {
  readonly v: 1;
  readonly base: string | null;
  readonly entries: readonly Entry[];
  readonly dropped: readonly string[];
};

/** What is put at the end of a conversation. */
export type Addition = {
  readonly append: readonly ConversationItem[];
  /** Calls that leave the conversation with their results. */
  readonly dropped?: readonly string[] | undefined;
};

/** A turn copies the part that it adds to, and a reader asks once for each part. */
const entriesPerPart = 64;

const repeatedNote = 'This very call was made before, and was not made again. Its result was:';

/** Returns what the store keeps of a value; halves of characters, which no text can hold, are replaced. */
export function storedBody(value: unknown): StoredBody {
  return contentOf(
    JSON.parse(
      JSON.stringify(value ?? null, (_name, inner: unknown) =>
        typeof inner === 'string' ? inner.replace(/\p{Surrogate}/gu, '\uFFFD') : inner,
      ),
    ),
  );
}

/**
 * Puts something at the end of a conversation and returns the new head. The same addition to the same head gives the
 * same head again.
 * @throws ConversationLostError where the head isn't in the store
 */
export async function extendConversation(
  store: ConversationStore,
  head: string | null,
  { append, dropped = [] }: Addition,
): Promise<string> {
  const last = head === null ? undefined : await readPart(store, head);
  const bodies: StoredBody[] = [];
  const added = append.map((item): Entry => {
    if (item.kind === 'result') return item;
    const body = storedBody(item.message);
    bodies.push(body);
    return { kind: 'message', hash: body.hash };
  });
  const isFull = last === undefined || last.entries.length >= entriesPerPart;
  const part: Part = isFull
    ? { v: 1, base: head, entries: added, dropped }
    : { ...last, entries: [...last.entries, ...added], dropped: [...last.dropped, ...dropped] };
  const body = storedBody(part);
  // One statement: a list never stands in the store without what it lists.
  await store.put([...bodies, body]);
  return body.hash;
}

/**
 * Loads the conversation at a head.
 * @throws ConversationLostError where a part of it isn't in the store
 */
export async function loadConversation(
  store: ConversationStore,
  head: string | null,
): Promise<Conversation> {
  const parts: Part[] = [];
  for (let at = head; at !== null; ) {
    const part = await readPart(store, at);
    parts.unshift(part);
    at = part.base;
  }
  const entries = parts.flatMap((part) => part.entries);
  const hashes = entries.map(({ hash }) => hash);
  const bodies = await store.get(hashes);
  const lost = hashes.filter((hash) => !bodies.has(hash));
  if (lost.length > 0) throw new ConversationLostError(lost);
  const messages = entries.map((entry) => messageOf(entry, bodies.get(entry.hash) ?? 'null'));
  const callIds = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
  );
  const dropped = new Set(parts.flatMap((part) => part.dropped));
  return {
    messages: messages.flatMap((message) => withoutCalls(message, dropped)),
    callIds: new Set(callIds),
  };
}

async function readPart(store: ConversationStore, hash: string): Promise<Part> {
  const body = (await store.get([hash])).get(hash);
  if (body === undefined) throw new ConversationLostError([hash]);
  return JSON.parse(body) as Part; // stored under its own hash by extendConversation
}

function messageOf(entry: Entry, body: string): ModelMessage {
  const stored: unknown = JSON.parse(body);
  if (entry.kind === 'message') return stored as ModelMessage; // stored under its own hash by extendConversation
  const { toolCallId, toolName, repeated } = entry;
  const output = repeated === true ? { note: repeatedNote, result: stored } : stored;
  return { role: 'tool', toolCallId, toolName, output };
}

/** A call and its result leave together: models refuse one without the other. */
function withoutCalls(
  message: ModelMessage,
  dropped: ReadonlySet<string>,
): readonly ModelMessage[] {
  if (message.role === 'tool') return dropped.has(message.toolCallId) ? [] : [message];
  if (message.role !== 'assistant' || message.toolCalls === undefined) return [message];
  const toolCalls = message.toolCalls.filter(({ id }) => !dropped.has(id));
  if (toolCalls.length === message.toolCalls.length) return [message];
  if (toolCalls.length > 0) return [{ ...message, toolCalls }];
  const { toolCalls: _dropped, ...said } = message;
  return said.content === '' ? [] : [said];
}
