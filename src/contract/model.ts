import type { z } from 'zod';
import {
  modelInputSchema as input,
  type modelMessageSchema,
  type modelToolCallSchema,
  type modelToolSchema,
  type modelUsageSchema,
  modelOutputSchema as output,
} from './model-schemas.js';
import { MODEL_ATTEMPT_TIMEOUT_MS } from './policy.js';
import { defineTool, type Tool, type ToolDefinition } from './tool.js';

/** The activity type of every model call; `model` in its input says which model is asked. */
export const MODEL_GENERATE = 'model_generate';

/** What a model is asked. */
export type ModelInput = z.input<typeof input>;
/** What a model answers. */
export type ModelOutput = z.output<typeof output>;
/** One message of a conversation. */
export type ModelMessage = Readonly<z.output<typeof modelMessageSchema>>;
/** A call of a tool that a model asks for. */
export type ModelToolCall = Readonly<z.output<typeof modelToolCallSchema>>;
/** A tool that is offered to a model. */
export type ModelTool = Readonly<z.output<typeof modelToolSchema>>;
/** Tokens of one answer. */
export type ModelUsage = Readonly<z.output<typeof modelUsageSchema>>;

/** A configured model as a tool of the run. */
export type Model = Tool<typeof MODEL_GENERATE, typeof input, typeof output>;

type Definition = ToolDefinition<typeof MODEL_GENERATE, typeof input, typeof output>;

/** What is said of a model. `name` is what the worker configures it by: policies, reports and steps name it so. */
export type ModelDefinition = {
  /** 1 to 64 of letters, digits, `_` and `-`. */
  readonly name: string;
  /** @default `model:` and the name */
  readonly downstream?: string;
  /** @default 90000 */
  readonly attemptTimeoutMs?: number;
  /** What answers when the model can't: another model, a text, any tool of the same output. */
  readonly fallback?: NonNullable<Definition['fallback']>;
} & Pick<
  Definition,
  | 'estimate'
  | 'maxRetries'
  | 'heartbeatTimeoutMs'
  | 'expectedCalls'
  | 'required'
  | 'alternatives'
  | 'taskQueue'
>;

/**
 * Makes the tool that asks one configured model. Several may stand in one run, and one may be the other's fallback:
 * all are the activity `model_generate`, and go by their own names everywhere else.
 * @throws InvalidRequestError as defineTool does
 */
export function defineModel(definition: ModelDefinition): Model {
  const { name, ...others } = definition;
  return defineTool({
    downstream: `model:${name}`,
    attemptTimeoutMs: MODEL_ATTEMPT_TIMEOUT_MS,
    ...others,
    name: MODEL_GENERATE,
    model: name,
    description: `Asks the model ${name}.`,
    input,
    output,
    effect: 'read',
    // An equal question may get another answer.
    fresh: true,
  });
}
