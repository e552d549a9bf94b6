import { callName } from './governed-tool.js';
import type { AnyTool } from './tool.js';

/** A value that stands in for the answer. */
export type ValueFallback<Value> = { readonly value: Value };

/** A text that stands in, where the output is a string or has a required `text`. */
export type TextFallback = { readonly text: string };

/** The beginning of a text of the input, where the output is a string or has a required `text`. */
export type TruncateFallback = {
  readonly truncate: {
    /** The text's place in the input: a key, or keys joined by dots. */
    readonly field: string;
    /** Characters that are kept at most: code points, so that none is cut in two. @default 300 */
    readonly characters?: number | undefined;
  };
};

/**
 * An answer by rule: a pure function of the call's input. Where the output has a `confidence` that the rule
 * leaves open, it becomes `auto`.
 */
export type RuleFallback<Input, Value> = { readonly rule: (input: Input) => RuleAnswer<Value> };

/** What a rule returns: the output, without its `confidence` where the rule has no better word for it than `auto`. */
export type RuleAnswer<Value> = Value extends { readonly confidence: unknown }
  ? Omit<Value, 'confidence'> & { readonly confidence?: Value['confidence'] }
  : Value;

/** Another tool that is asked instead; its input is the call's own unless `input` makes another. */
export type ToolFallback<Input> = {
  readonly tool: AnyTool;
  readonly input?: (input: Input) => unknown;
};

/** Nothing answers: the call stays unanswered, and its report says what a user may be told. */
export type DisabledFallback = { readonly disabled: string };

/** One way to do without a tool's own answer. */
export type FallbackWay<Input, Value> =
  | ValueFallback<Value>
  | TextFallback
  | TruncateFallback
  | RuleFallback<Input, Value>
  | ToolFallback<Input>
  | DisabledFallback;

/** What answers when a call can't: one way, or several of which the first that has an answer is taken. */
export type Fallback<Input, Value> =
  | FallbackWay<Input, Value>
  | readonly FallbackWay<Input, Value>[];

/** Any way, where its types don't matter. */
// biome-ignore lint/suspicious/noExplicitAny: functions of the input make it invariant; only `any` accepts them all.
export type AnyWay = FallbackWay<any, any>;

/** Any fallback, where its types don't matter. */
export type AnyFallback = AnyWay | readonly AnyWay[];

/** One way as plain JSON, as a task's step carries it: `tool` names one of the task's tools. */
export type StepFallbackWay =
  | { readonly value: unknown }
  | TextFallback
  | TruncateFallback
  | { readonly tool: string; readonly input?: unknown }
  | DisabledFallback;

/** A fallback as plain JSON: one way, or several in the order in which they are tried. */
export type StepFallback = StepFallbackWay | readonly StepFallbackWay[];

/** Characters that a truncation keeps where it doesn't say how many. */
export const TRUNCATE_CHARACTERS = 300;

/** Returns the ways of a fallback in their order. */
export function waysOf<Way extends AnyWay | StepFallbackWay>(
  fallback: Way | readonly Way[] | undefined,
): readonly Way[] {
  if (fallback === undefined) return [];
  return isList(fallback) ? fallback : [fallback];
}

/** Returns the tools that a fallback asks. */
export function fallbackTools(fallback: AnyFallback | undefined): readonly AnyTool[] {
  return waysOf<AnyWay>(fallback).flatMap((way) => ('tool' in way ? [way.tool] : []));
}

/** Returns what a degraded outcome says has answered: the kind of the way, or the name of the tool. */
export function nameOfWay(way: AnyWay): string {
  if ('tool' in way) return callName(way.tool);
  return ways.find((kind) => kind in way) ?? 'value';
}

/** Every kind of way that isn't a tool, by the field that tells it. */
export const ways = ['value', 'text', 'truncate', 'rule', 'disabled'] as const;

/** Tells several ways from one: `Array.isArray` doesn't know readonly lists. */
export function isList<Way>(fallback: Way | readonly Way[]): fallback is readonly Way[] {
  return Array.isArray(fallback);
}
