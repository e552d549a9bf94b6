import type { z } from 'zod';
import { type Fault, throwFaults } from '../budget/errors.js';
import { rules } from '../budget/rules.js';
import { type Effect, effects } from './effect.js';
import type { Fallback } from './fallback.js';
import { fallbackFaults } from './fallback-check.js';
import { callName, type Estimate, type GovernedTool, toolDefaults } from './governed-tool.js';
import { isPlainObject } from './json.js';
import { jsonFaults } from './json-schema.js';
import { overlayFields } from './overlay-fields.js';
import { isInWorkflowSandbox } from './sandbox.js';

/** When a call of a tool waits for a person, and how long. */
export type Approval<Input> = {
  /** Whether this call waits; it is asked once, before anything else. @default every call waits */
  readonly when?: (input: Input) => boolean;
  /** Milliseconds after which the call is denied. */
  readonly timeoutMs: number;
};

/**
 * How a call is undone: by another tool, whose input is made of the call's own input and, where the call was
 * answered, of its value. A call that may have happened without an answer is undone as well.
 */
export type Compensation<Input, Value> = {
  readonly tool: AnyTool;
  readonly input: (input: Input, value: Value | undefined) => unknown;
};

/** Any compensation, where its types don't matter. */
// biome-ignore lint/suspicious/noExplicitAny: functions of the input make it invariant; only `any` accepts them all.
export type AnyCompensation = Compensation<any, any>;

/** What a tool's author writes down. */
export type ToolDefinition<
  Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
> = {
  /** The activity's type; models call it by this name: 1 to 64 of letters, digits, `_` and `-`. */
  readonly name: Name;
  /** What the tool does, in words that a model reads. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly effect: Effect;
  /** What fails and gets limited as one. */
  readonly downstream: string;
  readonly estimate?: Partial<Estimate>;
  /** Retries that one call may take at most. @default 2 */
  readonly maxRetries?: number;
  /** Milliseconds that one attempt may take. @default 10000 */
  readonly attemptTimeoutMs?: number;
  /**
   * Milliseconds without a sign of life after which an attempt counts as lost.
   * @default none below 30 s of attempt time, else 15000
   */
  readonly heartbeatTimeoutMs?: number;
  /** Calls that a run without a chain is expected to make. @default 1 */
  readonly expectedCalls?: number;
  /** Whether runs need this tool. @default true */
  readonly required?: boolean;
  /**
   * What makes two calls the same effect. It gets the arguments as given, before schema defaults.
   * @default all arguments
   */
  readonly identity?: (input: z.input<Input>) => unknown;
  /** What answers when the call can't. */
  readonly fallback?: Fallback<z.input<Input>, z.output<Output>>;
  /** Names of other tools to the same end, for whoever plans the next call. */
  readonly alternatives?: readonly string[];
  readonly approval?: Approval<z.input<Input>>;
  /** The call that undoes this one. */
  readonly compensate?: Compensation<z.input<Input>, z.output<Output>>;
  /**
   * Milliseconds in which the downstream remembers an idempotency key: after that nothing is sent again.
   * @default 86400000
   */
  readonly keyWindowMs?: number;
  /**
   * Whether a model that calls this read again with equal identity gets a new answer, which counts as a retry.
   * @default false: it gets the answer that it had
   */
  readonly fresh?: boolean;
  /** The configured model that the tool asks: calls of one activity type are told apart by it. */
  readonly model?: string;
  /** The task queue whose workers run it. @default the workflow's */
  readonly taskQueue?: string;
};

/** The contract of one activity, shared by the workflow that calls it and the worker that runs it. */
export type Tool<
  Name extends string = string,
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> = GovernedTool & {
  readonly name: Name;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly attemptTimeoutMs: number;
  readonly heartbeatTimeoutMs: number | undefined;
  readonly identity: ((input: z.input<Input>) => unknown) | undefined;
  readonly fallback: Fallback<z.input<Input>, z.output<Output>> | undefined;
  readonly approval: Approval<z.input<Input>> | undefined;
  readonly compensate: Compensation<z.input<Input>, z.output<Output>> | undefined;
  readonly taskQueue: string | undefined;
  /** What is wrong with it: only in the sandbox can a faulty tool exist, until its run refuses it. */
  readonly faults: readonly Fault[];
};

/** Any tool, where its types don't matter. */
// biome-ignore lint/suspicious/noExplicitAny: functions of the input make tools invariant; only `any` accepts them all.
export type AnyTool = Tool<string, any, any>;

/** What a caller of a tool hands in. */
export type ToolInput<T extends AnyTool> = z.input<T['input']>;

/** What a caller of a tool gets. */
export type ToolOutput<T extends AnyTool> = z.output<T['output']>;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const HEARTBEAT_FROM_MS = 30_000;
const HEARTBEAT_MS = 15_000;

/**
 * Makes a tool of its definition. In the workflow sandbox faults stay with the tool and fail the run
 * that uses it: a throw while a bundle is loaded would repeat the workflow task for ever.
 * @throws InvalidRequestError that lists every fault: a bad name, a schema whose values JSON can't
 * carry, a figure out of its range, a fallback that the output schema refuses
 */
export function defineTool<
  const Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
>(definition: ToolDefinition<Name, Input, Output>): Tool<Name, Input, Output> {
  const attemptTimeoutMs = definition.attemptTimeoutMs ?? toolDefaults.attemptTimeoutMs;
  const tool: Omit<Tool<Name, Input, Output>, 'faults'> = {
    name: definition.name,
    description: definition.description,
    input: definition.input,
    output: definition.output,
    effect: definition.effect,
    downstream: definition.downstream,
    estimate: overlayFields<Estimate>(toolDefaults.estimate, definition.estimate),
    maxRetries: definition.maxRetries ?? toolDefaults.maxRetries,
    attemptTimeoutMs,
    heartbeatTimeoutMs:
      definition.heartbeatTimeoutMs ??
      (attemptTimeoutMs >= HEARTBEAT_FROM_MS ? HEARTBEAT_MS : undefined),
    expectedCalls: definition.expectedCalls ?? toolDefaults.expectedCalls,
    required: definition.required ?? true,
    identity: definition.identity,
    fallback: definition.fallback,
    alternatives: definition.alternatives ?? [],
    approval: definition.approval,
    compensate: definition.compensate,
    keyWindowMs: definition.keyWindowMs ?? toolDefaults.keyWindowMs,
    fresh: definition.fresh ?? toolDefaults.fresh,
    model: definition.model,
    taskQueue: definition.taskQueue,
  };
  const faults = [...unknownFieldFaults(definition, tool), ...toolFaults(tool)];
  if (!isInWorkflowSandbox()) throwFaults(faults);
  return { ...tool, faults };
}

function unknownFieldFaults(definition: { readonly name: unknown }, tool: object): Fault[] {
  const rule = `must be one of ${Object.keys(tool).join(', ')}`;
  return Object.keys(definition)
    .filter((field) => !Object.hasOwn(tool, field))
    .map((field) => ({ field: `tools.${String(definition.name)}.${field}`, rule, value: field }));
}

function toolFaults(tool: Omit<AnyTool, 'faults'>): Fault[] {
  const at = (field: string): string => `tools.${String(callName(tool))}.${field}`;
  const faults: Fault[] = [];
  const need = (holds: boolean, field: string, rule: string, value: unknown): void => {
    if (!holds) faults.push({ field: at(field), rule, value });
  };
  const { estimate } = tool;
  need(
    typeof tool.name === 'string' && NAME.test(tool.name),
    'name',
    `must match ${NAME.source}`,
    tool.name,
  );
  const rule = (name: keyof typeof rules, field: string, value: unknown): void =>
    need(rules[name].holds(value), field, rules[name].text, value);
  rule('text', 'description', tool.description);
  rule('text', 'downstream', tool.downstream);
  need(
    effects.includes(tool.effect),
    'effect',
    `must be one of ${effects.join(', ')}`,
    tool.effect,
  );
  rule('failureRate', 'estimate.failureRate', estimate.failureRate);
  rule('nonNegativeInteger', 'estimate.attemptCostMicros', estimate.attemptCostMicros);
  rule('nonNegativeNumber', 'estimate.latencyMs', estimate.latencyMs);
  rule('nonNegativeInteger', 'maxRetries', tool.maxRetries);
  rule('nonNegativeInteger', 'expectedCalls', tool.expectedCalls);
  rule('boolean', 'required', tool.required);
  rule('positiveNumber', 'attemptTimeoutMs', tool.attemptTimeoutMs);
  if (tool.heartbeatTimeoutMs !== undefined) {
    rule('positiveNumber', 'heartbeatTimeoutMs', tool.heartbeatTimeoutMs);
  }
  if (tool.approval !== undefined) {
    const { when, timeoutMs } = tool.approval;
    rule('positiveNumber', 'approval.timeoutMs', timeoutMs);
    const isRight = when === undefined || typeof when === 'function';
    need(isRight, 'approval.when', 'must be a function of the input', when);
  }
  rule('positiveInteger', 'keyWindowMs', tool.keyWindowMs);
  rule('boolean', 'fresh', tool.fresh);
  if (tool.model !== undefined) {
    need(NAME.test(tool.model), 'model', `must match ${NAME.source}`, tool.model);
  }
  if (tool.taskQueue !== undefined) rule('text', 'taskQueue', tool.taskQueue);
  faults.push(
    ...jsonFaults(tool.input, 'input', at('input')),
    ...jsonFaults(tool.output, 'output', at('output')),
  );
  faults.push(...fallbackFaults(tool, at('fallback')));
  faults.push(...compensationFaults(tool.compensate, at('compensate')));
  return faults;
}

/** Lists what is wrong with a compensation, of a tool or of a call. */
export function compensationFaults(compensate: unknown, field: string): Fault[] {
  if (compensate === undefined) return [];
  if (!isPlainObject(compensate)) {
    return [{ field, rule: 'must be {tool: …, input: …}', value: compensate }];
  }
  const { tool, input } = compensate;
  const faults: Fault[] = [];
  if (!isPlainObject(tool) || !('faults' in tool)) {
    faults.push({ field: `${field}.tool`, rule: 'must be a tool made by defineTool', value: tool });
  }
  if (typeof input !== 'function') {
    faults.push({ field: `${field}.input`, rule: 'must be a function', value: input });
  }
  return faults;
}
