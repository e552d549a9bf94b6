import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { z } from 'zod';
import { zodFaults } from '../contract/task-check.js';
import type { AnyTool, Tool } from '../contract/tool.js';
import { currentAttempt } from './attempt-context.js';
import { createHttp, type Http } from './http.js';
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
};

/** A tool's activity: register it with the plugin. */
export type ToolImplementation<T extends AnyTool = AnyTool> = {
  readonly tool: T;
  readonly activity: (input: z.input<T['input']>) => Promise<z.output<T['output']>>;
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
): ToolImplementation<Tool<Name, Input, Output>> {
  const activity = async (input: z.input<Input>): Promise<z.output<Output>> => {
    const parsed = await tool.input.safeParseAsync(input);
    if (!parsed.success)
      throw new InvalidInputError(zodFaults(parsed.error, input, `${tool.name}.input`));
    const answer = await run(parsed.data, toolContext());
    const refusal = refusedAnswer(tool.name, answer);
    if (refusal !== undefined) throw refusal;
    const checked = await tool.output.safeParseAsync(answer);
    if (!checked.success)
      throw new InvalidAnswerError(zodFaults(checked.error, answer, `${tool.name}.output`));
    return checked.data;
  };
  return { tool, activity };
}

function toolContext(): ToolContext {
  const attempt = currentAttempt();
  if (attempt === undefined) return outsideTheGate();
  const { header, ...own } = attempt;
  return { http: createHttp(attempt, own.signal), ...own, idempotencyKey: header.key ?? undefined };
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
  };
}
