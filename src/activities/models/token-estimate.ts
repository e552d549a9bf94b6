import { initialTokenRatio, learnTokenRatio } from '../../budget/token-ratio.js';
import type { ModelMessage, ModelTool } from '../../contract/model.js';
import type { TokenCounter } from './token-count.js';

/** What a model is about to read. */
export type Prompt = {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly responseSchema: unknown;
};

/** Estimates of a worker's models, each corrected by what its model has really used. */
export type TokenEstimates = {
  /** Returns the tokens of a prompt, before the correction. */
  readonly count: (prompt: Prompt) => number;
  /** Returns the tokens that a model will say that it has read. */
  readonly input: (model: string, counted: number) => number;
  /** Takes in what a model says that it has read. */
  readonly learn: (
    model: string,
    sample: { readonly counted: number; readonly used: number },
  ) => void;
};

/** Each message and each tool stands in a frame of a few tokens. */
const FRAME_TOKENS = 4;

/** Makes the estimates of a worker. */
export function createTokenEstimates(count: TokenCounter): TokenEstimates {
  const ratios = new Map<string, number>();
  const ratioOf = (model: string): number => ratios.get(model) ?? initialTokenRatio;
  return {
    count: (prompt) => countPrompt(prompt, count),
    input: (model, counted) => Math.max(1, Math.ceil(counted * ratioOf(model))),
    learn: (model, { counted, used }) => {
      ratios.set(model, learnTokenRatio(ratioOf(model), { estimated: counted, used }));
    },
  };
}

function countPrompt({ messages, tools, responseSchema }: Prompt, count: TokenCounter): number {
  const texts = [
    ...messages.map(messageText),
    ...tools.map((tool) => JSON.stringify(tool)),
    ...(responseSchema === undefined ? [] : [JSON.stringify(responseSchema)]),
  ];
  return texts.reduce((sum, text) => sum + FRAME_TOKENS + count(text), 0);
}

function messageText(message: ModelMessage): string {
  switch (message.role) {
    case 'tool':
      return JSON.stringify(message.output) ?? '';
    case 'assistant':
      return message.toolCalls === undefined
        ? message.content
        : message.content + JSON.stringify(message.toolCalls);
    default:
      return message.content;
  }
}

/** What an answer is taken to need where the caller doesn't say. */
const OUTPUT_TOKENS = 1_000;

/**
 * Returns the tokens to reserve for an answer: what the caller says, else a usual answer, but no more than what the
 * minute's limit has left beside the prompt, so that a small limit doesn't make every call impossible.
 */
export function outputReserve(
  stated: number | undefined,
  { input, perMinute }: { readonly input: number; readonly perMinute: number | undefined },
): number {
  if (stated !== undefined) return stated;
  if (perMinute === undefined) return OUTPUT_TOKENS;
  return Math.max(0, Math.min(OUTPUT_TOKENS, perMinute - input));
}
