import {
  jsonSchema,
  Output,
  type ModelMessage as SdkMessage,
  type SystemModelMessage,
  type ToolChoice,
  type ToolSet,
} from 'ai';
import type { ModelInput, ModelMessage, ModelTool, ModelToolCall } from '../../contract/model.js';

/** What the AI SDK is asked with. */
export type SdkPrompt = {
  readonly system?: SystemModelMessage[];
  readonly messages: SdkMessage[];
  readonly tools?: ToolSet;
  readonly toolChoice?: ToolChoice<ToolSet>;
  readonly output?: ReturnType<typeof Output.text>;
};

/** Returns a question in the words of the AI SDK. Tools have no `execute`: the gate runs them. */
export function sdkPrompt(
  { toolChoice, responseSchema }: ModelInput,
  {
    messages,
    tools,
  }: { readonly messages: readonly ModelMessage[]; readonly tools: readonly ModelTool[] },
): SdkPrompt {
  const system: SystemModelMessage[] = [];
  for (const message of messages) {
    if (message.role !== 'system') break;
    system.push({ role: 'system', content: message.content });
  }
  return {
    ...(system.length === 0 ? {} : { system }),
    messages: messages.slice(system.length).map(sdkMessage),
    ...(tools.length === 0 ? {} : { tools: Object.fromEntries(tools.map(sdkTool)) }),
    ...(toolChoice === undefined || tools.length === 0
      ? {}
      : { toolChoice: sdkChoice(toolChoice) }),
    ...(responseSchema === undefined ? {} : { output: jsonOutput(responseSchema) }),
  };
}

function sdkMessage(message: ModelMessage): SdkMessage {
  switch (message.role) {
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.content === '' ? [] : [{ type: 'text' as const, text: message.content }]),
          ...(message.toolCalls ?? []).map(sdkCall),
        ],
      };
    case 'tool': {
      const { toolCallId, toolName, output } = message;
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName, output: sdkOutput(output) }],
      };
    }
    default:
      return { role: message.role, content: message.content };
  }
}

type SdkPart<Role extends SdkMessage['role']> = Exclude<
  Extract<SdkMessage, { role: Role }>['content'],
  string
>[number];

type ToolCall = Extract<SdkPart<'assistant'>, { type: 'tool-call' }>;

function sdkCall({ id, name, input, metadata }: ModelToolCall): ToolCall {
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input,
    // What the provider said beside the call, as it said it.
    ...(metadata === undefined
      ? {}
      : { providerOptions: metadata as NonNullable<ToolCall['providerOptions']> }),
  };
}

type ToolResult = Extract<SdkPart<'tool'>, { type: 'tool-result' }>['output'];

function sdkOutput(output: unknown): ToolResult {
  if (typeof output === 'string') return { type: 'text', value: output };
  // It came as JSON, over Temporal's wire or out of the store.
  return {
    type: 'json',
    value: (output ?? null) as Extract<ToolResult, { type: 'json' }>['value'],
  };
}

function sdkTool({ name, description, inputSchema }: ModelTool): [string, ToolSet[string]] {
  return [name, { description, inputSchema: jsonSchema(inputSchema) }];
}

function sdkChoice(choice: NonNullable<ModelInput['toolChoice']>): ToolChoice<ToolSet> {
  return typeof choice === 'string' ? choice : { type: 'tool', toolName: choice.tool };
}

/** Asks for JSON and takes the text: what was used is booked before anybody reads it. */
function jsonOutput(schema: Readonly<Record<string, unknown>>): ReturnType<typeof Output.text> {
  return { ...Output.text(), responseFormat: Promise.resolve({ type: 'json' as const, schema }) };
}
