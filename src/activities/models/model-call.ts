import {
  type FinishReason,
  generateText,
  type LanguageModel,
  type LanguageModelUsage,
  streamText,
  type ToolSet,
  type TypedToolCall,
} from 'ai';
import type { ModelToolCall } from '../../contract/model.js';
import { firstTokenLate, ModelStreamError, streamCut } from './model-errors.js';
import type { SdkPrompt } from './model-prompt.js';

/** One request at a model: it is sent once, since the plan owns every retry. */
export type ModelCall = {
  /** The configured name. */
  readonly name: string;
  readonly model: LanguageModel;
  readonly prompt: SdkPrompt;
  readonly maxOutputTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly stream: boolean;
  readonly firstTokenTimeoutMs: number | undefined;
  /** Hears each piece of an answer that is streamed. */
  readonly onText: (text: string) => void;
};

/** What came back. */
export type ModelReply = {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finishReason: FinishReason;
  /** The provider's own word for it. */
  readonly rawFinishReason: string | undefined;
  readonly usage: LanguageModelUsage;
};

/**
 * Sends a request and reads its answer to the end.
 * @throws what the SDK throws; ModelStreamError for an error inside a stream; ModelAnswerError for a stream that is cut
 * or doesn't begin in time; the signal's reason once it is aborted
 */
export async function callModel(call: ModelCall): Promise<ModelReply> {
  const { name, signal, stream, firstTokenTimeoutMs } = call;
  const late = new AbortController();
  const either = AbortSignal.any([signal, late.signal]);
  const timer =
    firstTokenTimeoutMs === undefined
      ? undefined
      : setTimeout(
          () => late.abort(firstTokenLate(name, firstTokenTimeoutMs)),
          firstTokenTimeoutMs,
        );
  try {
    return await (stream
      ? streamed(call, either, () => clearTimeout(timer))
      : generated(call, either));
  } catch (thrown) {
    if (either.aborted) throw either.reason;
    throw thrown;
  } finally {
    clearTimeout(timer);
    late.abort(); // whatever is left of the connection
  }
}

async function generated(call: ModelCall, signal: AbortSignal): Promise<ModelReply> {
  const result = await generateText(settingsOf(call, signal));
  const { text, finishReason, rawFinishReason, usage } = result;
  const toolCalls = result.toolCalls.map(modelToolCall);
  return { text, toolCalls, finishReason, rawFinishReason, usage };
}

async function streamed(
  call: ModelCall,
  signal: AbortSignal,
  onFirst: () => void,
): Promise<ModelReply> {
  const { name, onText } = call;
  let text = '';
  const toolCalls: ModelToolCall[] = [];
  const { fullStream } = streamText({ ...settingsOf(call, signal), onError: () => {} });
  for await (const part of fullStream) {
    switch (part.type) {
      case 'text-delta':
        onFirst();
        text += part.text;
        onText(part.text);
        break;
      case 'reasoning-delta':
      case 'tool-input-start':
        onFirst();
        break;
      case 'tool-input-delta':
        onText(part.delta);
        break;
      case 'tool-call':
        toolCalls.push(modelToolCall(part));
        break;
      case 'error':
        throw streamError(name, part.error);
      case 'abort':
        throw signal.reason;
      case 'finish': {
        const { finishReason, rawFinishReason, totalUsage: usage } = part;
        if (finishReason === 'other' && rawFinishReason === undefined) throw streamCut(name);
        return { text, toolCalls, finishReason, rawFinishReason, usage };
      }
      default:
        break; // starts and ends of parts say nothing
    }
  }
  throw streamCut(name);
}

/** Servers put plain objects into their streams, and the SDK errors of its own. */
function streamError(name: string, error: unknown): unknown {
  if (!(error instanceof Error)) return new ModelStreamError(error);
  return /ended without a finish reason/.test(error.message) ? streamCut(name, error) : error;
}

function settingsOf(call: ModelCall, abortSignal: AbortSignal) {
  const { model, prompt, maxOutputTokens, temperature, headers } = call;
  return {
    model,
    ...prompt,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    headers,
    abortSignal,
    maxRetries: 0,
    allowSystemInMessages: true,
  };
}

/** Arguments that are no JSON go to the caller as they came: whoever asked the model tells it so. */
function modelToolCall(call: TypedToolCall<ToolSet>): ModelToolCall {
  const { toolCallId: id, toolName: name, input, providerMetadata: metadata } = call;
  const isText = call.dynamic === true && call.invalid === true && typeof input === 'string';
  return {
    id,
    name,
    input,
    ...(isText ? { invalid: 'its arguments are no JSON' } : {}),
    ...(metadata === undefined ? {} : { metadata }),
  };
}
