import type { ErrorFacts } from './classify-types.js';
import { copyPlain, isErrorLike, readKey } from './error-facts-copy.js';
import { headerRecord } from './hints-headers.js';

const maxCauses = 8;
const maxMessage = 300;

/** What the facts say in fields of their own. */
const ownFields = ['name', 'cause', 'headers', 'responseHeaders', 'response'];

const statusPaths: readonly (readonly string[])[] = [
  ['status'],
  ['statusCode'],
  ['httpStatus'],
  ['response', 'status'],
  ['response', 'statusCode'],
  ['$metadata', 'httpStatusCode'],
  ['$response', 'statusCode'],
];
const headerPaths: readonly (readonly string[])[] = [
  ['headers'],
  ['responseHeaders'],
  ['response', 'headers'],
  ['$response', 'headers'],
];

/** Secrets that clients are known to write into messages. */
const secrets: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|pk|rk|key|gsk|xai)[-_][A-Za-z0-9_-]{8,}/g, '[redacted]'],
  [/\b(Bearer|Basic) +[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [redacted]'],
  [/(:\/\/)[^/\s:@]{1,100}:[^/\s@]{1,100}@/g, '$1[redacted]@'],
  [/([?&](?:api[-_]?key|key|token|access_token|signature)=)[^&\s]+/gi, '$1[redacted]'],
];

const nothing: ErrorFacts = {
  status: null,
  headers: {},
  code: null,
  name: null,
  body: null,
  cause: null,
};

function readPath(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => readKey(inner, key), value);
}

function statusOf(thrown: object): number | null {
  const found = statusPaths.map((path) => readPath(thrown, path));
  const status = found.find((value) => Number.isInteger(value));
  return typeof status === 'number' ? status : null;
}

function headersOf(thrown: object): Readonly<Record<string, string | readonly string[]>> {
  const flat: Record<string, string | readonly string[]> = {};
  for (const path of headerPaths) {
    for (const [name, values] of Object.entries(headerRecord(readPath(thrown, path)))) {
      if (name !== '__proto__') flat[name] ??= values.length === 1 ? (values[0] ?? '') : values;
    }
  }
  return flat;
}

/** SDKs often leave `name` at "Error" and tell their errors apart by the class alone. */
function nameOf(thrown: object): string | null {
  const name = readKey(thrown, 'name');
  if (typeof name === 'string' && name !== '' && name !== 'Error') return name;
  if (!isErrorLike(thrown)) return null;
  const className = classNameOf(thrown);
  return typeof className === 'string' && className !== '' ? className : 'Error';
}

function classNameOf(thrown: object): unknown {
  const made = readKey(thrown, 'constructor');
  return typeof made === 'function' ? made.name : undefined;
}

function codeOf(thrown: object): string | number | null {
  const code = readKey(thrown, 'code');
  return typeof code === 'string' || typeof code === 'number' ? code : null;
}

/** `retryable: false` of a tool and `nonRetryable: true` of a Temporal failure mean the same. */
function forbidsRetry(thrown: object): boolean {
  return readKey(thrown, 'retryable') === false || readKey(thrown, 'nonRetryable') === true;
}

function bodyOf(thrown: object): unknown {
  const response = readKey(thrown, 'response');
  const answered = readKey(response, 'data') ?? readKey(response, 'body');
  const own = copyPlain(thrown, ownFields);
  if (answered === undefined) return own;
  const answer = copyPlain(answered);
  return typeof own === 'object' && !Array.isArray(own) ? { ...own, data: answer } : answer;
}

function factsOf(thrown: unknown, seen: ReadonlySet<unknown>): ErrorFacts {
  if (thrown === undefined || thrown === null) return nothing;
  if (typeof thrown !== 'object') return { ...nothing, body: String(thrown) };
  const cause = readKey(thrown, 'cause');
  const met = new Set([...seen, thrown]);
  const isLast = cause === undefined || cause === null || met.has(cause) || met.size > maxCauses;
  return {
    status: statusOf(thrown),
    headers: headersOf(thrown),
    code: codeOf(thrown),
    name: nameOf(thrown),
    body: bodyOf(thrown) ?? null,
    cause: isLast ? null : factsOf(cause, met),
    ...(forbidsRetry(thrown) ? { retryable: false } : {}),
  };
}

/**
 * Returns what was thrown as plain facts for `classify`, whatever it is: errors of fetch, the AI
 * SDK, the provider SDKs, axios, AWS and Temporal, plain objects, strings, undefined, frozen or
 * cyclic values, getters that throw. Never throws and never changes the value; prompts, requests
 * and stack traces are left behind.
 */
export function errorFacts(thrown: unknown): ErrorFacts {
  try {
    return factsOf(thrown, new Set());
  } catch {
    return nothing; // A revoked proxy: nothing of it can be read.
  }
}

function firstText(thrown: unknown): string | undefined {
  const paths = [['message'], ['error', 'message'], ['error'], ['msg'], ['detail'], ['name']];
  const texts = paths.map((path) => readPath(thrown, path));
  return texts.find((text) => typeof text === 'string' && text.trim() !== '') as string | undefined; // found by typeof
}

function rawMessage(thrown: unknown): string {
  if (thrown === undefined || thrown === null) return `nothing but ${String(thrown)} was thrown`;
  if (typeof thrown !== 'object') return String(thrown);
  return firstText(thrown) ?? JSON.stringify(copyPlain(thrown)) ?? 'an unreadable value';
}

/**
 * Returns one line of at most 300 characters that says what was thrown. Control characters become
 * spaces, and keys, tokens and passwords of the usual forms are blacked out. Never throws.
 */
export function errorMessage(thrown: unknown): string {
  try {
    const cut = rawMessage(thrown).slice(0, 4 * maxMessage);
    const clean = secrets.reduce((text, [form, mask]) => text.replace(form, mask), cut);
    const line = clean.replace(/[\p{Cc}\s]+/gu, ' ').trim();
    if (line === '') return 'an error without a message';
    return line.length > maxMessage ? `${line.slice(0, maxMessage - 1)}…` : line;
  } catch {
    return 'an unreadable value was thrown';
  }
}
