import { type Fault, throwFaults } from '../budget/errors.js';
import { faultsOf, rules } from '../budget/rules.js';
import { isPlainObject } from '../contract/json.js';
import { type LoopEffect, type LoopTask, loopTaskSchema, type NoAnswer } from '../contract/loop.js';
import type { Model } from '../contract/model.js';
import { zodFaults } from '../contract/task-check.js';
import type { AnyTool } from '../contract/tool.js';

/** What a loop may use at most. */
export type LoopLimits = {
  /** Answers of the model, the last one included. @default 20 */
  readonly maxTurns?: number;
  /** Tokens of all its calls together. @default no limit but the deadline's and the turns' */
  readonly maxTokens?: number;
  /** Millionths of a currency unit; what has no known price isn't counted. @default no limit */
  readonly maxCostMicros?: number;
  /** Calls that one answer may ask for; more than these go back to the model. @default 16 */
  readonly maxCallsPerTurn?: number;
  /** Milliseconds before the deadline that are kept for the last answer. @default 15000, at most a fifth of the time */
  readonly lastAnswerMs?: number;
};

/** What a stand-in for the last answer can speak of. */
export type LoopEnd = { readonly reason: NoAnswer; readonly effects: readonly LoopEffect[] };

/** What an agent loop is made of. */
export type LoopOptions = {
  readonly model: Model;
  /** Tools that the model may call. */
  readonly tools: readonly AnyTool[];
  /** What the model is told before anything else. */
  readonly system?: string;
  readonly limits?: LoopLimits;
  /** Tokens of one answer. @default the provider's */
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** What a user is told where no model answers. @default what was done, what was not, and what nobody knows */
  readonly fallback?: string | ((end: LoopEnd) => string);
};

/** The limits that hold where none are said. Released: never edited. */
export const loopDefaults = { maxTurns: 20, maxCallsPerTurn: 16, lastAnswerMs: 15_000 } as const;

/** A loop's limits with their defaults. */
export type ResolvedLimits = Required<Omit<LoopLimits, 'maxTokens' | 'maxCostMicros'>> &
  Pick<LoopLimits, 'maxTokens' | 'maxCostMicros'>;

/** Returns a loop's limits with what holds where it says nothing. */
export function resolvedLimits({ limits }: LoopOptions): ResolvedLimits {
  return { ...loopDefaults, ...limits };
}

/** @throws InvalidRequestError that lists every fault of the options, and of the task where there is one to start with */
export function checkLoop(options: LoopOptions, start?: { readonly task: LoopTask }): void {
  const { model, system, limits = {}, maxOutputTokens, fallback } = options;
  const faults: Fault[] = [];
  if (!isPlainObject(model) || typeof model.model !== 'string') {
    faults.push({ field: 'model', rule: 'must be a model made by defineModel', value: model });
  }
  if (system !== undefined) faults.push(...faultsOf('system', system, rules.text));
  if (maxOutputTokens !== undefined) {
    faults.push(...faultsOf('maxOutputTokens', maxOutputTokens, rules.positiveInteger));
  }
  if (fallback !== undefined && typeof fallback !== 'string' && typeof fallback !== 'function') {
    const rule = 'must be a text, or a function that makes one';
    faults.push({ field: 'fallback', rule, value: fallback });
  }
  for (const [field, value] of Object.entries(limits)) {
    if (value === undefined) continue;
    if (!limitNames.includes(field)) {
      faults.push({
        field: `limits.${field}`,
        rule: `must be one of ${limitNames.join(', ')}`,
        value,
      });
    } else faults.push(...faultsOf(`limits.${field}`, value, rules.positiveInteger));
  }
  if (start !== undefined) faults.push(...taskFaults(start.task));
  throwFaults(faults);
}

function taskFaults(task: unknown): readonly Fault[] {
  const parsed = loopTaskSchema.safeParse(task, { jitless: true });
  return parsed.success ? [] : zodFaults(parsed.error, task, 'task');
}

const limitNames: readonly string[] = [
  'maxTurns',
  'maxTokens',
  'maxCostMicros',
  'maxCallsPerTurn',
  'lastAnswerMs',
];
