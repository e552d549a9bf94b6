import { z } from 'zod';
import type { AgentMessage } from './model/agent-conversation.js';
import type { OfferedTool } from './model/offered-tool.js';

const part = z.object({ type: z.literal('text'), text: z.string() });
const askedCall = z.object({
  id: z.string().min(1),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const messageSchema = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(part)]).nullish(),
  tool_calls: z.array(askedCall).nullish(),
  tool_call_id: z.string().nullish(),
});
const toolSchema = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string().min(1),
    parameters: z.object({ properties: z.record(z.string(), z.unknown()).default({}) }).default({
      properties: {},
    }),
  }),
});
const requestSchema = z.object({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  tools: z.array(toolSchema).nullish(),
  tool_choice: z.unknown().optional(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});

/** A request for a chat completion, as far as the lab's model reads it. */
export type ChatRequest = {
  readonly model: string;
  readonly messages: readonly AgentMessage[];
  /** Tools that may be called in this turn: none where `tool_choice` forbids it. */
  readonly offered: readonly OfferedTool[];
  /** Whether the chat is one with tools, even where this turn may call none. */
  readonly isAgent: boolean;
  readonly stream: boolean;
  readonly withUsage: boolean;
};

/** Reads the body of a chat request in OpenAI's form; a text says what is wrong with another. */
export function readChatRequest(body: unknown): ChatRequest | string {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'not valid'}`;
  }
  const { model, tools, tool_choice: choice, stream, stream_options: options } = parsed.data;
  const messages = parsed.data.messages.map(readMessage);
  const named = (tools ?? []).map(({ function: { name, parameters } }) => ({
    name,
    fields: Object.keys(parameters.properties),
  }));
  const hasCalls = messages.some(({ calls }) => calls.length > 0);
  return {
    model,
    messages,
    offered: choice === 'none' ? [] : named,
    isAgent: named.length > 0 || hasCalls,
    stream: stream === true,
    withUsage: options?.include_usage === true,
  };
}

function readMessage(message: z.infer<typeof messageSchema>): AgentMessage {
  const { role, content, tool_calls: calls, tool_call_id: answers } = message;
  return {
    role,
    content:
      typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n'),
    calls: (calls ?? []).map(({ id, function: call }) => ({ id, ...call })),
    answers: answers ?? undefined,
  };
}
