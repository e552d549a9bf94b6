import {
  type ConversationEnd,
  type ConversationTurn,
  conversationTurnSchema,
} from '../contract/conversation.js';
import { isPlainObject } from '../contract/json.js';
import type { ModelInput, ModelMessage, ModelOutput } from '../contract/model.js';
import { modelOutputSchema } from '../contract/model-schemas.js';
import { extendConversation, loadConversation, storedBody } from '../conversations/conversation.js';
import type { ConversationStore } from '../conversations/conversations.js';

type ToolCall = ModelOutput['toolCalls'][number];

/** A model's turn in a conversation that stands in the store. */
export type OpenTurn = {
  /** What the model is really asked: with messages and tools in place of their hashes. */
  readonly input: ModelInput;
  /** Stores what the model said and returns what the workflow gets of it. */
  readonly close: (answer: unknown) => Promise<unknown>;
};

/** Returns the turn that an activity's first argument asks for; undefined where it names no conversation. */
export function askedTurn(
  input: unknown,
): { readonly turn: ConversationTurn; readonly asked: ModelInput } | undefined {
  if (!isPlainObject(input) || !isPlainObject(input.conversation)) return undefined;
  const { conversation, ...asked } = input;
  return { turn: conversationTurnSchema.parse(conversation), asked };
}

/** What the workflow gets where the store has lost the tools that were sent once. */
export const toolsLost: ModelOutput = modelOutputSchema.parse({
  text: '',
  conversation: { kind: 'tools-lost' } satisfies ConversationEnd,
});

/**
 * Loads a turn. Undefined where the tools that it names are not in the store.
 * @throws ConversationLostError where messages aren't
 */
export async function openTurn(
  store: ConversationStore,
  { turn, asked }: { readonly turn: ConversationTurn; readonly asked: ModelInput },
): Promise<OpenTurn | undefined> {
  const tools = await toolsOf(store, turn, asked);
  if (tools === 'lost') return undefined;
  const head = await extendConversation(store, turn.head, turn);
  const { messages, callIds } = await loadConversation(store, head);
  return {
    input: { ...asked, messages: [...messages], ...(tools === undefined ? {} : { tools }) },
    close: async (answer) => {
      const said = modelOutputSchema.parse(answer);
      const toolCalls = withOwnIds(said.toolCalls, callIds);
      const message: ModelMessage = {
        role: 'assistant',
        content: said.text,
        ...(toolCalls.length === 0 ? {} : { toolCalls }),
      };
      const append = [{ kind: 'message', message } as const];
      const end = await extendConversation(store, head, { append });
      return told({ ...said, toolCalls }, { head: end, isLast: asked.toolChoice === 'none' });
    },
  };
}

/** Tools are sent once and named by their hash from then on. */
async function toolsOf(
  store: ConversationStore,
  { tools: hash }: ConversationTurn,
  { tools }: ModelInput,
): Promise<ModelInput['tools'] | 'lost'> {
  if (hash === undefined) return tools;
  if (tools !== undefined) {
    await store.put([{ hash, body: storedBody(tools).body }]);
    return tools;
  }
  const body = (await store.get([hash])).get(hash);
  return body === undefined ? 'lost' : JSON.parse(body);
}

/** Some providers number the calls of each answer anew: in a conversation an id stands for one call. */
function withOwnIds(calls: readonly ToolCall[], known: ReadonlySet<string>): ToolCall[] {
  const used = new Set(known);
  return calls.map((call) => {
    let id = call.id;
    for (let number = 2; used.has(id); number += 1) id = `${call.id}_${number}`;
    used.add(id);
    return { ...call, id };
  });
}

/** The history needs the calls that the workflow makes, and the text that ends the work; the rest is stored. */
function told(
  { text, toolCalls, ...said }: ModelOutput,
  { head, isLast }: { readonly head: string; readonly isLast: boolean },
): ModelOutput {
  return {
    ...said,
    text: isLast || toolCalls.length === 0 ? text : '',
    toolCalls: toolCalls.map(({ metadata: _stored, ...call }) => call),
    conversation: { kind: 'at', head } satisfies ConversationEnd,
  };
}
