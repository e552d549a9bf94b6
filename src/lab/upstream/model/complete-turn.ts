import type { Misbehaviour } from '../faults.js';
import type { AgentMessage } from './agent-conversation.js';
import { agentTurn } from './agent-turn.js';
import { countPromptTokens, countTokens, type TokenUsage } from './complete-chat.js';
import type { OfferedTool } from './offered-tool.js';
import { spoilCalls, type UnnamedCall } from './spoil-turn.js';

/** A turn of a chat with tools: calls, or a text where there are none. */
export type CompletedTurn = {
  readonly text: string;
  readonly calls: readonly UnnamedCall[];
  readonly usage: TokenUsage;
  /** Whether the misbehaviour that was asked for came to pass. */
  readonly isSpoiled: boolean;
};

/** Takes the next turn of an agent, gone wrong in the way that is asked for, where it may call tools at all. */
export function completeTurn(request: {
  readonly messages: readonly AgentMessage[];
  readonly offered: readonly OfferedTool[];
  readonly misbehaviour: Misbehaviour | undefined;
}): CompletedTurn {
  const { messages, offered, misbehaviour } = request;
  const turn = agentTurn(messages, offered);
  const meant = turn.kind === 'calls' ? turn.calls : [];
  const honest = meant.map(({ name, input }) => ({ name, arguments: JSON.stringify(input) }));
  const [first] = messages.flatMap(({ calls }) => calls);
  const mayCall = offered.length > 0;
  const calls =
    misbehaviour !== undefined && mayCall
      ? spoilCalls(honest, { how: misbehaviour, first })
      : honest;
  const text = turn.kind === 'text' && calls.length === 0 ? turn.text : '';
  return {
    text,
    calls,
    usage: usageOf(messages, { text, calls }),
    isSpoiled: misbehaviour !== undefined && mayCall && calls.length > 0,
  };
}

function usageOf(
  messages: readonly AgentMessage[],
  said: { readonly text: string; readonly calls: readonly UnnamedCall[] },
): TokenUsage {
  const written = (calls: readonly UnnamedCall[]): string =>
    calls.map((call) => call.name + call.arguments).join('\n');
  const read = messages.map(({ role, content, calls }) => ({
    role,
    content: content + written(calls),
  }));
  return {
    promptTokens: countPromptTokens(read),
    completionTokens: countTokens(said.text + written(said.calls)),
  };
}
