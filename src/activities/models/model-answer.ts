import { z } from 'zod';
import { classify } from '../../budget/classify.js';
import type { ModelOutput, ModelUsage } from '../../contract/model.js';
import type { ModelReply } from './model-call.js';
import {
  answerFiltered,
  emptyAnswer,
  lengthReached,
  ModelStreamError,
  unfitAnswer,
} from './model-errors.js';

/** What makes an answer of a reply. */
export type AnswerRequest = {
  /** The configured name. */
  readonly model: string;
  readonly usage: ModelUsage;
  /** What the answer has to fit as JSON. */
  readonly schema: z.ZodType | undefined;
};

/**
 * Returns the answer that a reply is.
 * @throws ModelAnswerError for a reply that is none: withheld, empty, not what the schema asks for; ModelStreamError
 * where the provider says that it broke down
 */
export function modelAnswer(reply: ModelReply, request: AnswerRequest): ModelOutput {
  const { text, toolCalls, finishReason } = reply;
  const { model, usage, schema } = request;
  if (finishReason === 'content-filter') throw answerFiltered(model);
  const breakdown = providerError(reply);
  if (breakdown !== undefined) throw breakdown;
  if (text.trim() === '' && toolCalls.length === 0) {
    throw finishReason === 'length' ? lengthReached(model) : emptyAnswer(model);
  }
  const asksForJson = schema !== undefined && toolCalls.length === 0;
  return {
    text,
    toolCalls: [...toolCalls],
    finishReason: answerEnd(finishReason),
    usage,
    model,
    ...(asksForJson ? { object: jsonAnswer(model, text, schema) } : {}),
  };
}

/** Servers between a model and its caller end an answer with words of their own, such as `error`. */
function providerError({
  finishReason,
  rawFinishReason = 'error',
}: ModelReply): ModelStreamError | undefined {
  if (finishReason !== 'error' && finishReason !== 'other') return undefined;
  const error = new ModelStreamError({ finish_reason: rawFinishReason });
  const isKnown = classify({ error: error.facts }).class !== 'unknown';
  return isKnown || finishReason === 'error' ? error : undefined;
}

function answerEnd(reason: ModelReply['finishReason']): ModelOutput['finishReason'] {
  return reason === 'stop' || reason === 'tool-calls' || reason === 'length' ? reason : 'other';
}

function jsonAnswer(model: string, text: string, schema: z.ZodType): unknown {
  const parsed = schema.safeParse(parsedJson(model, text));
  if (parsed.success) return parsed.data;
  throw unfitAnswer(model, z.prettifyError(parsed.error));
}

function parsedJson(model: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unfitAnswer(model, 'it is no JSON');
  }
}

/** Returns the tokens that a reply says; what a provider leaves out is the estimate. */
export function modelUsage({ usage }: ModelReply, estimate: () => ModelUsage): ModelUsage {
  const { inputTokens, outputTokens, inputTokenDetails } = usage;
  // No prompt is empty: a provider that says 0 says nothing.
  if (!inputTokens || outputTokens === undefined) return estimate();
  return {
    inputTokens: whole(inputTokens),
    cachedInputTokens: whole(inputTokenDetails.cacheReadTokens ?? 0),
    outputTokens: whole(outputTokens),
  };
}

function whole(tokens: number): number {
  return Number.isFinite(tokens) ? Math.max(0, Math.round(tokens)) : 0;
}
