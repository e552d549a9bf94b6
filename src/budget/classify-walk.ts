/** One object or text met on the way through an error, nearest to the surface first. */
export type Visit =
  | { readonly kind: 'object'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly kind: 'text'; readonly value: string };

const maxVisits = 300;
const maxText = 20_000;
const maxItems = 8;

/**
 * The keys under which servers, SDKs and wrappers hide the error proper; what a user's payload
 * may hold is left alone. In plain form (`plainKey`).
 */
const childKeys: ReadonlySet<string> = new Set([
  'body',
  'candidates',
  'cause',
  'choices',
  'data',
  'detail',
  'details',
  'err',
  'error',
  'errors',
  'exception',
  'extensions',
  'failure',
  'incompletedetails',
  'innererror',
  'lasterror',
  'message',
  'metadata',
  'originalerror',
  'promptfeedback',
  'raw',
  'reason',
  'response',
  'responsebody',
  'result',
  'structuredcontent',
  'violations',
]);

/** Keys whose text is said to a reader, so that sentences in it count. In plain form. */
const textKeys: ReadonlySet<string> = new Set([
  ...childKeys,
  'description',
  'errordescription',
  'errormessage',
  'errormsg',
  'msg',
  'quotaid',
  'quotalimit',
  'quotametric',
  'statustext',
  'title',
]);

/** Returns a key or a code without case and punctuation: `retry_after`, `retryAfter` are one. */
export function plainKey(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Returns whether the value is an object with keys, a list excepted. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not JSON: it counts as a sentence.
  }
}

/** Returns the JSON that a text is, or that stands in it ("429 {...}", "data: {...}"). */
function jsonWithin(text: string): unknown {
  const from = text.search(/[{[]/);
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (from < 0 || to <= from) return undefined;
  const parsed = parseJson(text.slice(from, to + 1)) ?? firstEventData(text);
  return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
}

function firstEventData(text: string): unknown {
  const line = /^data:\s?(\{.*\})\s?$/m.exec(text)?.[1];
  return line === undefined ? undefined : parseJson(line);
}

/** Of an HTML page only the title is said by the server; the rest is layout and advice. */
function spokenPart(text: string): string {
  if (!/^\s*<(?:!doctype|html|head|\?xml)/i.test(text)) return text;
  return /<title[^>]*>([^<]{0,300})/i.exec(text)?.[1] ?? '';
}

/** A wrapper that names its last error has older attempts in `errors`: those don't count. */
function childrenOf(value: Readonly<Record<string, unknown>>): readonly unknown[] {
  const keys = Object.keys(value);
  const hasLast = keys.some((key) => plainKey(key) === 'lasterror');
  const children: unknown[] = [];
  for (const key of keys) {
    const plain = plainKey(key);
    const child = value[key];
    if (hasLast && plain === 'errors') continue;
    if (typeof child === 'string' ? textKeys.has(plain) : childKeys.has(plain)) {
      children.push(child);
    }
    // An AWS event stream names its exception by the key of the frame.
    if (isRecord(child) && /Exception$/.test(key)) children.push({ code: key }, child);
  }
  return children;
}

/**
 * Returns the objects and texts of an error, breadth first, at most 300: nested errors and
 * causes, lists, JSON written into texts any number of times. Never throws on plain data.
 */
export function walkError(root: unknown): readonly Visit[] {
  const visits: Visit[] = [];
  const queue: unknown[] = [root];
  const seen = new Set<object>();
  for (let index = 0; index < queue.length && visits.length < maxVisits; index += 1) {
    const node = queue[index];
    if (typeof node === 'string') {
      const text = node.slice(0, maxText);
      const inner = jsonWithin(text);
      if (inner !== undefined) queue.push(inner);
      visits.push({ kind: 'text', value: spokenPart(text) });
      continue;
    }
    if (typeof node !== 'object' || node === null || seen.has(node)) continue;
    seen.add(node);
    if (Array.isArray(node)) {
      queue.push(...node.slice(0, maxItems));
      continue;
    }
    if (!isRecord(node)) continue;
    visits.push({ kind: 'object', value: node });
    queue.push(...childrenOf(node));
  }
  return visits;
}
