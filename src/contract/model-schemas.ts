import { z } from 'zod';

const record = z.record(z.string(), z.unknown());

/** A call of a tool that a model asks for. */
export const modelToolCallSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** Parsed arguments, or the text as it came where it is no JSON. */
  input: z.unknown(),
  /** Why the arguments can't be used: they are no JSON. Absent where they are; the tool's schema is the caller's to ask. */
  invalid: z.string().optional(),
  /** What the provider wants to see again beside this call. */
  metadata: record.optional(),
});

/** One message of a conversation, as plain JSON. */
export const modelMessageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    toolCalls: z.array(modelToolCallSchema).optional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    /** The `id` of the call that it answers. */
    toolCallId: z.string(),
    toolName: z.string(),
    /** Any JSON. */
    output: z.unknown(),
  }),
]);

/** A tool that is offered to a model. */
export const modelToolSchema = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string(),
  /** A JSON schema. */
  inputSchema: record,
});

const tokens = z.number().int().nonnegative();

/** Tokens of one answer. */
export const modelUsageSchema = z.strictObject({
  inputTokens: tokens,
  /** Those of the input that the provider had in its cache. */
  cachedInputTokens: tokens,
  outputTokens: tokens,
  /** True where the provider said nothing: the figures are an estimate. */
  estimated: z.literal(true).optional(),
});

/** What a model is asked. */
export const modelInputSchema = z.strictObject({
  /** The configured model. The gate fills it in: it is the tool's own. */
  model: z.string().optional(),
  messages: z.array(modelMessageSchema).optional(),
  tools: z.array(modelToolSchema).optional(),
  toolChoice: z
    .union([z.enum(['auto', 'none', 'required']), z.strictObject({ tool: z.string() })])
    .optional(),
  maxOutputTokens: z.number().int().positive().optional(),
  temperature: z.number().nonnegative().optional(),
  /** A JSON schema that the answer has to fit: it comes back parsed, as `object`. */
  responseSchema: record.optional(),
  /** Where messages and tools stand that aren't sent along; whoever loads them knows its form. */
  conversation: z.unknown().optional(),
});

/** Why a model ended its answer. */
export const modelFinishReasons = ['stop', 'tool-calls', 'length', 'other'] as const;

const noUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** What a model answers. All but the text has a default, so that a text can stand in for an answer. */
export const modelOutputSchema = z.strictObject({
  text: z.string(),
  toolCalls: z.array(modelToolCallSchema).default([]),
  finishReason: z.enum(modelFinishReasons).default('other'),
  usage: modelUsageSchema.default(noUsage),
  /** The configured model that answered; null where a text stands in. */
  model: z.string().nullable().default(null),
  /** The answer, where `responseSchema` asked for JSON. */
  object: z.unknown().optional(),
  /** Where the conversation stands that the answer belongs to, where one was named. */
  conversation: z.unknown().optional(),
});
