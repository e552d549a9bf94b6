import { createHash } from 'node:crypto';
import { type Answer, refusal } from './answers.js';
import { type ChatRequest, readChatRequest } from './chat-request.js';
import type { Misbehaviour } from './faults.js';
import type { AskedCall } from './model/agent-conversation.js';
import { completeChat, countPromptTokens, type TokenUsage } from './model/complete-chat.js';
import { completeTurn } from './model/complete-turn.js';

/** A longer prompt is refused with the code `context_length_exceeded`; tokens. */
const contextTokens = 128_000;

/** An answer to a chat, with what it cost and how to send it. */
export type ChatAnswer = {
  readonly answer: Answer;
  readonly usage: TokenUsage | undefined;
  /** Server-sent events in place of the answer's body, where the client asked for a stream. */
  readonly events: readonly string[] | undefined;
  /** Whether the model misbehaved as it was told to: it does so only where it may call tools. */
  readonly isSpoiled: boolean;
};

/** What a completion says. */
type Said = {
  readonly text: string;
  readonly calls: readonly AskedCall[];
  readonly usage: TokenUsage;
};

/**
 * Answers `POST /v1/chat/completions` in OpenAI's form; 400 for a body that has another form. A chat that offers
 * tools is answered as an agent would.
 */
export function answerChat(
  body: unknown,
  {
    newId,
    misbehaviour,
  }: {
    readonly newId: (prefix: string) => string;
    readonly misbehaviour: Misbehaviour | undefined;
  },
): ChatAnswer {
  const request = readChatRequest(body);
  if (typeof request === 'string') {
    return refused(refusal({ status: 400, code: 'invalid-body', message: request }));
  }
  const promptTokens = countPromptTokens(request.messages);
  if (promptTokens > contextTokens) {
    const message = `This model reads at most ${contextTokens} tokens; the messages have ${promptTokens}.`;
    return refused(refusal({ status: 400, code: 'context_length_exceeded', message }));
  }
  const { isSpoiled, ...said } = complete(request, { newId, misbehaviour });
  const frame = {
    id: `chatcmpl-${createHash('sha256').update(JSON.stringify(request.messages)).digest('hex').slice(0, 24)}`,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
  };
  const events = request.stream
    ? streamEvents({ frame, said, withUsage: request.withUsage })
    : undefined;
  const answer = { status: 200, body: completionBody(frame, said), hasEffect: false };
  return { answer, usage: said.usage, events, isSpoiled };
}

function complete(
  request: ChatRequest,
  rules: {
    readonly newId: (prefix: string) => string;
    readonly misbehaviour: Misbehaviour | undefined;
  },
): Said & { readonly isSpoiled: boolean } {
  if (!request.isAgent) {
    const { content, usage } = completeChat(request.messages);
    return { text: content, calls: [], usage, isSpoiled: false };
  }
  const turn = completeTurn({ ...request, misbehaviour: rules.misbehaviour });
  const calls = turn.calls.map((call) => ({ id: rules.newId('call'), ...call }));
  return { ...turn, calls };
}

function completionBody(frame: Readonly<Record<string, unknown>>, said: Said): object {
  const { text, calls, usage } = said;
  const message = { role: 'assistant', content: calls.length > 0 ? null : text };
  return {
    ...frame,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: calls.length > 0 ? { ...message, tool_calls: calls.map(wireCall) } : message,
        finish_reason: finishReason(said),
        logprobs: null,
      },
    ],
    usage: wireUsage(usage),
  };
}

function streamEvents(facts: {
  readonly frame: Readonly<Record<string, unknown>>;
  readonly said: Said;
  readonly withUsage: boolean;
}): readonly string[] {
  const { frame, said, withUsage } = facts;
  const chunk = (delta: object, reason: string | null): object => ({
    ...frame,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const chunks = [
    chunk({ role: 'assistant', content: '' }, null),
    ...pieces(said.text).map((piece) => chunk({ content: piece }, null)),
    ...said.calls.flatMap((call, index) =>
      callDeltas(call, index).map((delta) => chunk({ tool_calls: [delta] }, null)),
    ),
    chunk({}, finishReason(said)),
  ];
  if (withUsage) {
    chunks.push({
      ...frame,
      object: 'chat.completion.chunk',
      choices: [],
      usage: wireUsage(said.usage),
    });
  }
  return [...chunks.map((value) => JSON.stringify(value)), '[DONE]'].map(
    (data) => `data: ${data}\n\n`,
  );
}

/** A call as its stream brings it: id and name first, then its arguments in pieces. */
function callDeltas(call: AskedCall, index: number): readonly object[] {
  const { function: named, ...head } = wireCall({ ...call, arguments: '' });
  return [
    { index, ...head, function: named },
    ...pieces(call.arguments).map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

function pieces(text: string): readonly string[] {
  return text.match(/.{1,24}/gsu) ?? [];
}

function wireCall({ id, name, arguments: json }: AskedCall): {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
} {
  return { id, type: 'function', function: { name, arguments: json } };
}

function finishReason({ calls }: Said): string {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function wireUsage({ promptTokens, completionTokens }: TokenUsage): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function refused(answer: Answer): ChatAnswer {
  return { answer, usage: undefined, events: undefined, isSpoiled: false };
}
