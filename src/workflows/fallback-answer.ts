import type { ToolFallback } from '../contract/fallback.js';
import { textValue } from '../contract/fallback-value.js';
import { callName } from '../contract/governed-tool.js';
import { hasValue, type Outcome } from '../contract/outcome.js';
import type { ToolCall } from './call-tool.js';

/** What a fallback says in a tool's place: a value of its output, and what said it. */
export type FallbackAnswer = { readonly value: unknown; readonly to: string };

/** Returns a fallback's answer to a call; undefined where there is none, or none that the output takes. */
export async function fallbackAnswer(asked: {
  readonly call: ToolCall;
  /** True where the call's own effect may have happened. */
  readonly onlyReads: boolean;
  /** Calls another tool. */
  readonly ask: (call: ToolCall) => Promise<Outcome<unknown>>;
}): Promise<FallbackAnswer | undefined> {
  const { call, onlyReads, ask } = asked;
  const { tool, input } = call;
  const fallback = call.fallback ?? tool.fallback;
  if (fallback === undefined) return undefined;
  if ('text' in fallback) return takenBy(call, textValue(tool.output, fallback.text), 'text');
  if (!('tool' in fallback)) return takenBy(call, fallback.value, 'value');
  const other = fallback.tool;
  if (onlyReads && other.effect !== 'read') return undefined;
  const to = callName(other);
  if (to === callName(tool) || call.asked?.includes(to) === true) return undefined;
  const made = madeInput(fallback, input);
  if (made === undefined) return undefined;
  const outcome = await ask({ tool: other, input: made.input });
  return hasValue(outcome) ? takenBy(call, outcome.value, to) : undefined;
}

function madeInput(
  { input: make }: ToolFallback<unknown>,
  input: unknown,
): { readonly input: unknown } | undefined {
  if (make === undefined) return { input };
  try {
    return { input: make(input) };
  } catch {
    return undefined; // a fallback that throws is none; in a workflow it would repeat its task for ever
  }
}

function takenBy({ tool }: ToolCall, value: unknown, to: string): FallbackAnswer | undefined {
  try {
    const parsed = tool.output.safeParse(value);
    return parsed.success ? { value: parsed.data, to } : undefined;
  } catch {
    return undefined; // an output schema that throws takes nothing, as above
  }
}
