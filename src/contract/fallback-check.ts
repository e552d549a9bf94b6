import type { Fault } from '../budget/errors.js';
import { faultsOf, rules } from '../budget/rules.js';
import { type AnyFallback, TRUNCATE_CHARACTERS, ways } from './fallback.js';
import { textValue } from './fallback-value.js';
import { isPlainObject } from './json.js';
import { pointerCanExist, toJsonSchema } from './json-schema.js';
import type { AnyTool } from './tool.js';

type Contract = Pick<AnyTool, 'name' | 'input' | 'output'>;

const kinds = [...ways, 'tool'] as const;
const SHAPE =
  'must be {value: …}, {text: "…"}, {truncate: {field: "…", characters?: …}}, {rule: …}, ' +
  '{tool: …, input?: …} or {disabled: "…"}, or a list of these';

/** Lists what is wrong with the fallback that a tool declares. */
export function fallbackFaults(
  tool: Contract & { readonly fallback?: AnyFallback | undefined },
  field: string,
): Fault[] {
  const { fallback } = tool;
  if (fallback === undefined) return [];
  if (!Array.isArray(fallback)) return wayFaults(tool, fallback, field);
  return [
    ...orderFaults(fallback, field),
    ...fallback.flatMap((way: unknown, index) => wayFaults(tool, way, `${field}.${index}`)),
  ];
}

/** Lists what is wrong with the order of several ways: behind one that never answers none is tried. */
export function orderFaults(list: readonly unknown[], field: string): Fault[] {
  if (list.length === 0) return [{ field, rule: 'must hold at least one way', value: list }];
  const index = list.findIndex((way) => isPlainObject(way) && 'disabled' in way);
  if (index < 0 || index === list.length - 1) return [];
  return [
    { field: `${field}.${index}`, rule: 'must come last: it never answers', value: 'disabled' },
  ];
}

/** Lists what is wrong with a text, a truncation or a message for a user, in a tool's or in a step's fallback. */
export function plainWayFaults(
  tool: Contract,
  way: Readonly<Record<string, unknown>>,
  field: string,
): Fault[] {
  if ('disabled' in way) return [...faultsOf(`${field}.disabled`, way.disabled, rules.text)];
  if ('truncate' in way) return truncateFaults(tool, way.truncate, `${field}.truncate`);
  const suits = typeof way.text === 'string' && takesText(tool, way.text);
  return suits ? [] : [{ field: `${field}.text`, rule: suitRule(tool), value: way.text }];
}

function wayFaults(tool: Contract, way: unknown, field: string): Fault[] {
  const kind = isPlainObject(way) ? kindOf(way) : undefined;
  if (!isPlainObject(way) || kind === undefined) return [{ field, rule: SHAPE, value: way }];
  switch (kind) {
    case 'value': {
      const rule = 'must fit the output schema';
      const fits = tool.output.safeParse(way.value).success;
      return fits ? [] : [{ field: `${field}.value`, rule, value: way.value }];
    }
    case 'rule': {
      const rule = 'must be a function of the input';
      const isRight = typeof way.rule === 'function';
      return isRight ? [] : [{ field: `${field}.rule`, rule, value: way.rule }];
    }
    case 'tool': {
      const isTool = isPlainObject(way.tool) && 'faults' in way.tool;
      const rule = 'must be a tool made by defineTool';
      return isTool ? [] : [{ field: `${field}.tool`, rule, value: way.tool }];
    }
    default:
      return plainWayFaults(tool, way, field);
  }
}

/** Returns the one kind that a way is of; undefined where it is of none, or of two. */
function kindOf(way: Readonly<Record<string, unknown>>): (typeof kinds)[number] | undefined {
  const [kind, second] = kinds.filter((one) => one in way);
  return second === undefined ? kind : undefined;
}

function truncateFaults(tool: Contract, truncate: unknown, field: string): Fault[] {
  if (!isPlainObject(truncate)) {
    return [{ field, rule: 'must be {field: "…", characters?: …}', value: truncate }];
  }
  const { field: place, characters = TRUNCATE_CHARACTERS } = truncate;
  const faults = [
    ...faultsOf(`${field}.field`, place, rules.text),
    ...faultsOf(`${field}.characters`, characters, rules.positiveInteger),
  ];
  if (faults.length > 0) return faults;
  // What a schema takes, it may strip again: a misspelt key is found in what it gives.
  if (!pointerCanExist(toJsonSchema(tool.input, 'output'), String(place).split('.'))) {
    const rule = `must name a place in the input of ${tool.name}: a key, or keys joined by dots`;
    return [{ field: `${field}.field`, rule, value: place }];
  }
  if (takesText(tool, 'x'.repeat(Number(characters)))) return [];
  return [{ field, rule: suitRule(tool), value: characters }];
}

function takesText({ output }: Contract, text: string): boolean {
  return textValue(output, text) !== undefined;
}

function suitRule({ name }: Contract): string {
  return `must suit the output of ${name}: a text needs an output that is a string or an object with \`text\``;
}
