import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { z } from 'zod';
import type { ModelPrices } from '../budget/prices.js';
import { settledResult } from '../contract/settled-result.js';
import { zodFaults } from '../contract/task-check.js';
import type { AnyTool, Tool } from '../contract/tool.js';
import { currentAttempt } from './attempt-context.js';
import type { Reconciled } from './effect-claim.js';
import { createHttp, type Http } from './http.js';
import { createPricing, type ModelAnswerUsage, type Pricing } from './pricing.js';
import { InvalidAnswerError, InvalidInputError, refusedAnswer } from './tool-answer.js';

/** What a tool's implementation gets beside its input. */
export type ToolContext = {
  /** Requests that carry key, attempt, retries left and deadline, and fail with classified errors. */
  readonly http: Http;
  /** The same for every attempt of the effect; undefined for a call outside the gate. */
  readonly idempotencyKey: string | undefined;
  /** Aborted at the deadline, on cancellation, and when the worker shuts down. */
  readonly signal: AbortSignal;
  /** Number of the attempt over all workers, from 1. */
  readonly attempt: number;
  readonly retriesLeft: number;
  /** Milliseconds to the attempt's deadline; Infinity outside the gate. */
  readonly timeLeftMs: () => number;
  /** Books tokens that the attempt used, whether it will succeed or not. */
  readonly addTokens: (tokens: number) => void;
  /** Books an answer of a model that the attempt got: its tokens, and by `prices` what they cost. */
  readonly addUsage: (usage: ModelAnswerUsage) => void;
  /**
   * Says what the attempt will have used where it ends by a timeout before anybody tells the figures; asked then,
   * and only then. A later word replaces an earlier one.
   */
  readonly expectUsage: (expected: () => ModelAnswerUsage) => void;
};

/** What any minute admits of the downstream's tokens. */
export type TokenLimit = { readonly tokensPerMinute: number };

/** A tool's activity: register it with the plugin. */
export type ToolImplementation<T extends AnyTool = AnyTool> = {
  readonly tool: T;
  readonly activity: (input: z.input<T['input']>) => Promise<z.output<T['output']>>;
  /** Asks the downstream whether an effect has happened of which nobody knows. */
  readonly reconcile?: ((input: unknown) => Promise<Reconciled>) | undefined;
  /** Returns the tokens that a call is expected to use, for the limit of tokens per minute. */
  readonly estimateTokens?: ((input: unknown, limit: TokenLimit) => Promise<number>) | undefined;
};

/** What a write's probe gets: the key under which the effect was sent, and what its call was given. */
export type Probe<Input> = ToolContext & { readonly key: string; readonly input: Input };

/** What a tool can do beside its work. */
export type ImplementationOptions<Input, Value> = {
  /**
   * Asks the downstream what became of a key: `done` with its value, `not-done`, or `unknown`. A `not-done` is
   * trusted once the lease of the attempt that left the effect unknown has run out.
   */
  readonly reconcile?: (
    probe: Probe<Input>,
  ) => Promise<
    | { readonly kind: 'done'; readonly value: Value }
    | { readonly kind: 'not-done' }
    | { readonly kind: 'unknown' }
  >;
  /**
   * Returns the tokens, input and output together, that a call is expected to use: they are reserved under
   * `limits.tokensPerMinute` before it is sent, and corrected to what it booked afterwards. @default 0
   */
  readonly estimateTokens?: (input: Input, limit: TokenLimit) => number;
  /** What the models cost that the tool asks itself, for `addUsage`. @default none is known */
  readonly prices?: ModelPrices;
};

/**
 * Makes the activity of a tool. Its input is parsed before the run; its answer is checked for a refusal of
 * the tool's own (`success: false`, `isError: true`) and against the output schema.
 */
export function implementTool<
  Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
>(
  tool: Tool<Name, Input, Output>,
  run: (input: z.output<Input>, context: ToolContext) => Promise<z.input<Output>>,
  {
    reconcile,
    estimateTokens,
    prices = {},
  }: ImplementationOptions<z.output<Input>, z.input<Output>> = {},
): ToolImplementation<Tool<Name, Input, Output>> {
  const price = createPricing(prices);
  const activity = async (input: z.input<Input>): Promise<z.output<Output>> => {
    const answer = await run(await parsedInput(tool, input), toolContext(price));
    const refusal = refusedAnswer(tool.name, answer);
    if (refusal !== undefined) throw refusal;
    return checkedAnswer(tool, answer);
  };
  const estimated =
    estimateTokens === undefined
      ? {}
      : {
          estimateTokens: (input: unknown, limit: TokenLimit) =>
            expectedTokens(tool, input, (parsed: z.output<Input>) => estimateTokens(parsed, limit)),
        };
  if (reconcile === undefined) return { tool, activity, ...estimated };
  const probe = async (input: unknown): Promise<Reconciled> => {
    const context = toolContext(price);
    const key = context.idempotencyKey ?? '';
    const found = await reconcile({ ...context, key, input: await parsedInput(tool, input) });
    if (found.kind !== 'done') return found;
    return { kind: 'done', value: await checkedAnswer(tool, found.value) };
  };
  return { tool, activity, reconcile: probe, ...estimated };
}

/** An input that the schema refuses sends nothing, and so uses none. */
async function expectedTokens<Input extends z.ZodType>(
  tool: { readonly input: Input },
  input: unknown,
  estimate: (input: z.output<Input>) => number,
): Promise<number> {
  const parsed = await tool.input.safeParseAsync(input);
  if (!parsed.success) return 0;
  const tokens = estimate(parsed.data);
  return Number.isFinite(tokens) ? Math.max(0, Math.ceil(tokens)) : 0;
}

async function parsedInput<Input extends z.ZodType>(
  tool: { readonly name: string; readonly input: Input },
  input: unknown,
): Promise<z.output<Input>> {
  const parsed = await tool.input.safeParseAsync(input);
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(zodFaults(parsed.error, input, `${tool.name}.input`));
}

async function checkedAnswer<Output extends z.ZodType>(
  tool: { readonly name: string; readonly output: Output },
  answer: unknown,
): Promise<z.output<Output>> {
  const checked = await tool.output.safeParseAsync(answer);
  if (checked.success) return checked.data;
  throw new InvalidAnswerError(zodFaults(checked.error, answer, `${tool.name}.output`));
}

/**
 * Returns a result that a person gave in place of a tool's answer, as its schema makes it.
 * @throws InvalidAnswerError where the schema refuses it
 */
export function settledAnswer(tool: AnyTool, result: unknown): Promise<unknown> {
  return checkedAnswer(tool, settledResult(tool, result));
}

function toolContext(price: Pricing): ToolContext {
  const attempt = currentAttempt();
  if (attempt === undefined) return outsideTheGate();
  const { header, addUsage, expectUsage, ...own } = attempt;
  return {
    http: createHttp(attempt, own.signal),
    ...own,
    idempotencyKey: header.key ?? undefined,
    addTokens: (tokens) => addUsage({ tokens, costMicros: 0 }),
    addUsage: (usage) => addUsage(price(usage)),
    expectUsage: (expected) => expectUsage(() => price(expected())),
  };
}

function outsideTheGate(): ToolContext {
  const signal = cancellationSignal();
  return {
    http: createHttp(undefined, signal),
    idempotencyKey: undefined,
    signal,
    attempt: activityInfo().attempt,
    retriesLeft: 0,
    timeLeftMs: () => Number.POSITIVE_INFINITY,
    addTokens: () => {},
    addUsage: () => {},
    expectUsage: () => {},
  };
}
