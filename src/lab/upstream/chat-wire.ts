import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Answer, refusal } from './answers.js';
import { completeChat, countPromptTokens, type TokenUsage } from './model/complete-chat.js';

/** A longer prompt is refused with the code `context_length_exceeded`; tokens. */
const contextTokens = 128_000;

const part = z.object({ type: z.literal('text'), text: z.string() });
const requestSchema = z.object({
  model: z.string().min(1),
  messages: z
    .array(z.object({ role: z.string(), content: z.union([z.string(), z.array(part)]) }))
    .min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});

/** An answer to a chat, with what it cost and how to send it. */
export type ChatAnswer = {
  readonly answer: Answer;
  readonly usage: TokenUsage | undefined;
  /** Server-sent events in place of the answer's body, where the client asked for a stream. */
  readonly events: readonly string[] | undefined;
};

/** Answers `POST /v1/chat/completions` in OpenAI's form; 400 for a body that has another form. */
export function answerChat(body: unknown): ChatAnswer {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const message = `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'not valid'}`;
    return refused(refusal({ status: 400, code: 'invalid-body', message }));
  }
  const messages = parsed.data.messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.map(({ text }) => text).join('\n'),
  }));
  const promptTokens = countPromptTokens(messages);
  if (promptTokens > contextTokens) {
    const message = `This model reads at most ${contextTokens} tokens; the messages have ${promptTokens}.`;
    return refused(refusal({ status: 400, code: 'context_length_exceeded', message }));
  }
  const { content, usage } = completeChat(messages);
  const frame = {
    id: `chatcmpl-${createHash('sha256').update(JSON.stringify(messages)).digest('hex').slice(0, 24)}`,
    created: Math.floor(Date.now() / 1000),
    model: parsed.data.model,
  };
  const completion = {
    ...frame,
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop', logprobs: null },
    ],
    usage: wireUsage(usage),
  };
  const withUsage = parsed.data.stream_options?.include_usage === true;
  const events = parsed.data.stream
    ? streamEvents({ frame, content, usage, withUsage })
    : undefined;
  return { answer: { status: 200, body: completion, hasEffect: false }, usage, events };
}

function streamEvents(facts: {
  readonly frame: Readonly<Record<string, unknown>>;
  readonly content: string;
  readonly usage: TokenUsage;
  readonly withUsage: boolean;
}): readonly string[] {
  const { frame, content, usage, withUsage } = facts;
  const chunk = (delta: object, finishReason: string | null): object => ({
    ...frame,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  const pieces = content.match(/.{1,24}/gsu) ?? [];
  const chunks = [
    chunk({ role: 'assistant', content: '' }, null),
    ...pieces.map((piece) => chunk({ content: piece }, null)),
    chunk({}, 'stop'),
  ];
  if (withUsage) {
    chunks.push({
      ...frame,
      object: 'chat.completion.chunk',
      choices: [],
      usage: wireUsage(usage),
    });
  }
  return [...chunks.map((value) => JSON.stringify(value)), '[DONE]'].map(
    (data) => `data: ${data}\n\n`,
  );
}

function wireUsage({ promptTokens, completionTokens }: TokenUsage): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function refused(answer: Answer): ChatAnswer {
  return { answer, usage: undefined, events: undefined };
}
