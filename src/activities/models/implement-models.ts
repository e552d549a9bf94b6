import type { LanguageModel } from 'ai';
import { z } from 'zod';
import { type Fault, throwFaults } from '../../budget/errors.js';
import { type ModelPrices, priceFaults } from '../../budget/prices.js';
import {
  defineModel,
  type Model,
  type ModelInput,
  type ModelMessage,
  type ModelOutput,
  type ModelTool,
  type ModelUsage,
} from '../../contract/model.js';
import { currentAttempt } from '../attempt-context.js';
import { attemptHeaders } from '../http.js';
import {
  implementTool,
  type TokenLimit,
  type ToolContext,
  type ToolImplementation,
} from '../implement-tool.js';
import { InvalidInputError } from '../tool-answer.js';
import { rememberCounts } from './counted-texts.js';
import { modelAnswer, modelUsage } from './model-answer.js';
import { callModel, type ModelReply } from './model-call.js';
import { configFaults, loadModel, type ModelConfig } from './model-config.js';
import { modelError } from './model-errors.js';
import { sdkPrompt } from './model-prompt.js';
import { createTokenCounter, type TokenCounter } from './token-count.js';
import { createTokenEstimates, outputReserve, type TokenEstimates } from './token-estimate.js';

/** The models of a worker. */
export type ModelsOptions = {
  /** By the names under which workflows know them. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  /** What they cost, by the same names. A model without a price costs null, never nothing. @default none is known */
  readonly prices?: ModelPrices;
};

/** What a worker's models share: what was loaded, and what was learned. */
type Workshop = ModelsOptions & {
  readonly loaded: Map<string, Promise<LanguageModel>>;
  readonly count: TokenCounter;
  readonly estimates: TokenEstimates;
};

// Which model is asked stands in each call's input: the activity serves all of them.
const anyModel = defineModel({ name: 'any' });

/**
 * Makes the activity `model_generate`, which asks the configured models. One attempt is one HTTP request: the plan owns
 * every retry. What an attempt uses is booked, priced, and taken to correct the estimates of the next.
 * @throws InvalidRequestError that lists every fault of models and prices
 */
export function implementModels(options: ModelsOptions): ToolImplementation<Model> {
  const { models, prices = {} } = options;
  throwFaults([
    ...Object.entries(models).flatMap(([name, one]) => configFaults(one, `models.${name}`)),
    ...priceFaults(prices, 'prices'),
    ...Object.keys(prices)
      .filter((name) => !Object.hasOwn(models, name))
      .map((name) => strangerFault(name, Object.keys(models))),
  ]);
  const count = rememberCounts(createTokenCounter());
  const estimates = createTokenEstimates(count);
  const workshop: Workshop = { ...options, loaded: new Map(), count, estimates };
  return implementTool(anyModel, (input, context) => generate(workshop, input, context), {
    prices,
    estimateTokens: (input, limit) => reserveFor(workshop, input, limit),
  });
}

/** A price under another name would leave the model that is meant without one. */
function strangerFault(name: string, models: readonly string[]): Fault {
  return { field: `prices.${name}`, rule: `must name one of ${models.join(', ')}`, value: name };
}

/** Returns what a call is expected to use: its prompt, as its model counts, and room for the answer. */
function reserveFor(
  { estimates, models }: Workshop,
  { model = '', messages = [], tools = [], responseSchema, maxOutputTokens }: ModelInput,
  { tokensPerMinute: perMinute }: TokenLimit,
): number {
  if (!Object.hasOwn(models, model)) return 0; // it will be refused, and so uses none
  const input = estimates.input(model, estimates.count({ messages, tools, responseSchema }));
  return input + outputReserve(maxOutputTokens, { input, perMinute });
}

async function generate(
  workshop: Workshop,
  input: ModelInput,
  context: ToolContext,
): Promise<ModelOutput> {
  const { estimates, count } = workshop;
  const { responseSchema } = input;
  const { name, config } = configured(workshop, input);
  const { messages, tools } = question(input);
  const schema = answerSchema(input);
  const counted = (): number => estimates.count({ messages, tools, responseSchema });
  let said = '';
  const expected = (): ModelUsage => ({
    inputTokens: estimates.input(name, counted()),
    cachedInputTokens: 0,
    outputTokens: said === '' ? 0 : count(said),
    estimated: true,
  });
  context.expectUsage(() => ({ ...expected(), model: name }));
  const { maxOutputTokens, temperature } = input;
  const { stream = false, firstTokenTimeoutMs } = config;
  const reply = await callModel({
    name,
    model: await loadedModel(workshop, name, config),
    prompt: sdkPrompt(input, { messages, tools }),
    maxOutputTokens,
    temperature,
    headers: attemptHeaders(currentAttempt()),
    signal: context.signal,
    stream,
    firstTokenTimeoutMs,
    onText: (text) => {
      said += text;
    },
  }).catch((thrown: unknown) => {
    // A model that has begun to answer has read, and charges, the whole prompt.
    if (said !== '') context.addUsage({ ...expected(), model: name });
    throw modelError(thrown);
  });
  said = saidBy(reply);
  const usage = modelUsage(reply, expected);
  context.addUsage({ ...usage, model: name });
  if (usage.estimated === undefined) {
    estimates.learn(name, { counted: counted(), used: usage.inputTokens });
  }
  return modelAnswer(reply, { model: name, usage, schema });
}

function saidBy({ text, toolCalls }: ModelReply): string {
  return toolCalls.length === 0 ? text : text + JSON.stringify(toolCalls);
}

/** @throws InvalidInputError for a model that this worker doesn't have */
function configured(
  { models }: Workshop,
  { model }: ModelInput,
): { readonly name: string; readonly config: ModelConfig } {
  const config = model !== undefined && Object.hasOwn(models, model) ? models[model] : undefined;
  if (model !== undefined && config !== undefined) return { name: model, config };
  const rule = `must be one of this worker's models: ${Object.keys(models).join(', ')}`;
  throw refused({ field: 'model_generate.input.model', rule, value: model });
}

/** A conversation that stands in a store was loaded before the attempt began. */
function question({ messages = [], tools = [] }: ModelInput): {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
} {
  if (messages.length > 0) return { messages, tools };
  const rule = 'must hold a message';
  throw refused({ field: 'model_generate.input.messages', rule, value: messages });
}

/** What can't be checked afterwards isn't asked for. */
function answerSchema({ responseSchema }: ModelInput): z.ZodType | undefined {
  if (responseSchema === undefined) return undefined;
  try {
    return z.fromJSONSchema(responseSchema);
  } catch (error) {
    const rule = `must be a JSON schema: ${error instanceof Error ? error.message : String(error)}`;
    throw refused({ field: 'model_generate.input.responseSchema', rule, value: responseSchema });
  }
}

function refused(fault: Fault): InvalidInputError {
  return new InvalidInputError([fault]);
}

/** A provider that can't be loaded is asked for again by the next call. */
function loadedModel(
  { loaded }: Workshop,
  name: string,
  config: ModelConfig,
): Promise<LanguageModel> {
  const known = loaded.get(name) ?? loadModel(config);
  loaded.set(name, known);
  known.catch(() => loaded.delete(name)); // whoever waits for it hears of it
  return known;
}
