import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, type ModelMessage, type ToolSet } from 'ai';
import { agentSystem, agentTools } from './agent-tools.js';

/** A call that the model asks for. */
export type AskedCall = { readonly id: string; readonly name: string; readonly input: unknown };

/** One answer of the model, with what it adds to the conversation. */
export type ModelTurn = {
  readonly text: string;
  readonly calls: readonly AskedCall[];
  readonly messages: readonly ModelMessage[];
};

/** The activities of an agent as it is written without holdfast. */
export type PlainAgentActivities = {
  readonly generate: (messages: readonly ModelMessage[]) => Promise<ModelTurn>;
  readonly callTool: (call: AskedCall) => Promise<ModelMessage>;
};

/** Makes them for the shop and the model behind a URL. */
export function plainAgentActivities(upstreamUrl: string): PlainAgentActivities {
  const provider = createOpenAICompatible({ name: 'lab', baseURL: `${upstreamUrl}/v1` });
  const offered = agentTools.map(({ name, description, input }) => [
    name,
    { description, inputSchema: input },
  ]);
  // what a set of tools is; the SDK's type of one doesn't bear exactOptionalPropertyTypes
  const tools = Object.fromEntries(offered) as unknown as ToolSet;
  const shop = shopCalls(upstreamUrl);
  return {
    async generate(messages) {
      const { text, toolCalls, response } = await generateText({
        model: provider('lab'),
        system: agentSystem,
        messages: [...messages],
        tools,
        maxRetries: 0,
      });
      const calls = toolCalls.map(({ toolCallId: id, toolName: name, input }) => ({
        id,
        name,
        input,
      }));
      return { text, calls, messages: response.messages };
    },
    async callTool({ id, name, input }) {
      const value = await shop(name, input);
      // what came over HTTP is JSON
      const output = { type: 'json', value: value as never } as const;
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: id, toolName: name, output }],
      };
    },
  };
}

/** Returns what sends a tool's request to the shop, once. */
export function shopCalls(upstreamUrl: string): (name: string, input: unknown) => Promise<unknown> {
  return async (name, input) => {
    const { url, json } = requestOf(name, input);
    const answer = await fetch(`${upstreamUrl}${url}`, {
      ...(json !== undefined && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(json),
      }),
    });
    if (!answer.ok) throw new Error(`${name} got ${answer.status}`);
    return answer.json();
  };
}

/** Returns the request by which a tool is done. */
export function requestOf(
  name: string,
  input: unknown,
): { readonly url: string; readonly json?: unknown } {
  const { orderId } = input as { readonly orderId?: string }; // the lab's model fills in what a tool describes
  switch (name) {
    case 'look_up_order':
      return { url: `/orders/${orderId}` };
    case 'refund_order':
      return { url: '/refunds', json: input };
    default:
      return { url: '/emails', json: input };
  }
}
