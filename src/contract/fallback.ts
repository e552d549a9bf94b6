import type { AnyTool } from './tool.js';

/** A value that stands in for the answer, for instance an answer by rule. */
export type ValueFallback<Value> = { readonly value: Value };

/** A text that stands in, where the output is a string or has a required `text`. */
export type TextFallback = { readonly text: string };

/** Another tool that is asked instead; its input is the call's own unless `input` makes another. */
export type ToolFallback<Input> = {
  readonly tool: AnyTool;
  readonly input?: (input: Input) => unknown;
};

/** What answers when a call can't: a value, a text, or another tool. */
export type Fallback<Input, Value> = ValueFallback<Value> | TextFallback | ToolFallback<Input>;

/** A fallback as plain JSON, as a task's step carries it: `tool` names one of the task's tools. */
export type StepFallback =
  | { readonly value: unknown }
  | { readonly text: string }
  | { readonly tool: string; readonly input?: unknown };
