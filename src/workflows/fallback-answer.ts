import {
  type AnyWay,
  type DisabledFallback,
  nameOfWay,
  type ToolFallback,
  waysOf,
} from '../contract/fallback.js';
import { textValue } from '../contract/fallback-value.js';
import { callName } from '../contract/governed-tool.js';
import { isPlainObject } from '../contract/json.js';
import { hasValue, type Outcome } from '../contract/outcome.js';
import { storedResult } from '../contract/stored-result.js';
import { truncatedText } from '../contract/truncated-text.js';
import type { ToolCall } from './call-tool.js';

/** What a fallback says in a tool's place: a value of its output and what said it, or what a user may be told. */
export type FallbackAnswer =
  | { readonly kind: 'answered'; readonly value: unknown; readonly to: string }
  | { readonly kind: 'disabled'; readonly message: string };

/** A call that couldn't be answered. */
type Asked = {
  readonly call: ToolCall;
  /** True where the call's own effect may have happened. */
  readonly onlyReads: boolean;
  /** Calls another tool. */
  readonly ask: (call: ToolCall) => Promise<Outcome<unknown>>;
};

/** What one way came to, where it came to something. */
type Said = { readonly value: unknown } | undefined;

/** What a way can say without asking anybody. */
type OwnWay = Exclude<AnyWay, ToolFallback<unknown> | DisabledFallback>;

/**
 * Returns a fallback's answer to a call, the first that the output takes where there are several ways; undefined
 * where there is none.
 */
export async function fallbackAnswer(asked: Asked): Promise<FallbackAnswer | undefined> {
  const { call } = asked;
  for (const way of waysOf<AnyWay>(call.fallback ?? call.tool.fallback)) {
    if ('disabled' in way) return { kind: 'disabled', message: way.disabled };
    // What needs nobody else is said at once: each await in a workflow is one more step of its replay.
    const said =
      'tool' in way ? await toolSays(asked, way) : takenBy(call, () => ownWord(call, way));
    if (said !== undefined) return { kind: 'answered', value: said.value, to: nameOfWay(way) };
  }
  return undefined;
}

function ownWord({ tool, input }: ToolCall, way: OwnWay): unknown {
  if ('text' in way) return textValue(tool.output, way.text);
  if ('truncate' in way) {
    const text = truncatedText(way, input);
    return text === undefined ? undefined : textValue(tool.output, text);
  }
  return 'rule' in way ? marked(tool, way.rule(input)) : way.value;
}

/** An answer by rule says so where the output has a place for it. */
function marked({ output }: ToolCall['tool'], answer: unknown): unknown {
  if (!isPlainObject(answer) || answer.confidence !== undefined) return answer;
  const automatic = { ...answer, confidence: 'auto' };
  return output.safeParse(automatic).success ? automatic : answer;
}

async function toolSays(
  { call, onlyReads, ask }: Asked,
  way: ToolFallback<unknown>,
): Promise<Said> {
  const { tool: other } = way;
  if (onlyReads && other.effect !== 'read') return undefined;
  const to = callName(other);
  if (to === callName(call.tool) || call.asked?.includes(to) === true) return undefined;
  const made = madeInput(way, call.input);
  if (made === undefined) return undefined;
  const outcome = await ask({ tool: other, input: made.input });
  if (!hasValue(outcome)) return undefined;
  const { value } = outcome;
  // What stands in the store goes to a model, which reads what it gets.
  return storedResult(value) === undefined ? takenBy(call, () => value) : { value };
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

function takenBy({ tool }: ToolCall, make: () => unknown): Said {
  try {
    const parsed = tool.output.safeParse(make());
    return parsed.success ? { value: parsed.data } : undefined;
  } catch {
    return undefined; // a rule or an output schema that throws says nothing, as above
  }
}
