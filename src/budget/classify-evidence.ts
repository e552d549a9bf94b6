import type { ClassifyInput } from './classify-types.js';
import { isRecord, plainKey, type Visit, walkError } from './classify-walk.js';
import { hintClock, retryAfterHint } from './hints.js';
import { parseRfc3339 } from './hints-dates.js';
import { parseDuration, wholeMs } from './hints-duration.js';
import { type HeaderRecord, headerRecord } from './hints-headers.js';
import { hintFromText } from './hints-text.js';

/** All that an error says, gathered from every layer, for the rules to read. */
export type Evidence = {
  readonly localAborted: boolean;
  /** The status of the answer as a whole; of a wrapper that has none, its nearest cause's. */
  readonly outerStatus: number | null;
  /** The error status that counts: a code in the body outranks the answer's own status. */
  readonly status: number | null;
  /** Codes, types, names and reasons in plain form, with and without "error", "exception". */
  readonly codes: ReadonlySet<string>;
  /** Numeric codes below 400: JSON-RPC and gRPC numbers. */
  readonly numbers: ReadonlySet<number>;
  /** All sentences, one a line. */
  readonly text: string;
  /** Each sentence by itself, trimmed. */
  readonly sentences: readonly string[];
  readonly headers: HeaderRecord;
  readonly clockMs: number | undefined;
  /** A hint given outright: headers, fields of the body, sentences, in this order. */
  readonly hintMs: number | undefined;
  /** True when the error or the tool's answer itself carries `retryable: false`. */
  readonly forbidsRetry: boolean;
};

const codeKeys: ReadonlySet<string> = new Set([
  'blockreason',
  'code',
  'error',
  'errorcode',
  'errortype',
  'finishreason',
  'lcerrorcode',
  'name',
  'nativefinishreason',
  'quotaid',
  'reason',
  'status',
  'stopreason',
  'type',
]);
const statusKeys: ReadonlySet<string> = new Set([
  'httpstatus',
  'httpstatuscode',
  'rawstatuscode',
  'status',
  'statuscode',
]);

/** Reasons for an end: there "error" and "safety" say what they don't say elsewhere. */
const endKeys: ReadonlySet<string> = new Set([
  'blockreason',
  'finishreason',
  'nativefinishreason',
  'stopreason',
]);
const headerKeys: ReadonlySet<string> = new Set(['headers', 'responseheaders']);

/** Fields of a body that say when to come back; the factor makes milliseconds of a number. */
const hintFactors: Readonly<Record<string, number>> = {
  estimatedtime: 1000,
  resetafter: 1000,
  resetsinseconds: 1000,
  retryafter: 1000,
  retryafterms: 1,
  retryafterseconds: 1000,
  retrydelay: 1000,
  retryinseconds: 1000,
};

const maxCauses = 8;

const systemCall = /\b(?:connect|read|write|getaddrinfo) (E[A-Z]{3,}(?:_[A-Z]+)?)\b/;

/** Statuses that programs, not people, write into a message, in their exact forms. */
const statusForms: readonly RegExp[] = [
  /^error code: (\d{3})$/im,
  /^error code: (\d{3}) - \{/im,
  /^(\d{3}) status code \(no body\)$/im,
  /^request failed with status code (\d{3})$/im,
  /: \[(\d{3}) [a-z][a-z ]{1,40}\]/im,
  /^(\d{3}) \{"/m,
];

function asErrorStatus(value: unknown): number | null {
  const isText = typeof value === 'string' && /^\d{3}$/.test(value);
  const status = isText ? Number(value) : value;
  if (typeof status !== 'number' || !Number.isInteger(status)) return null;
  return status >= 400 && status <= 599 ? status : null;
}

function addCode(codes: Set<string>, value: unknown): void {
  if (typeof value !== 'string' || value.length > 120) return;
  // AWS writes "prefix#ThrottlingException:http://..."; others put the sort after the colon.
  const bare = value.slice(value.lastIndexOf('#') + 1);
  for (const form of [bare, bare.split(':')[0] ?? '']) {
    const plain = plainKey(form);
    codes.add(plain);
    codes.add(plain.replace(/(?:error|exception)$/, ''));
  }
  codes.delete('');
}

function fieldHint(key: string, value: unknown): number | undefined {
  const factor = hintFactors[key];
  if (factor === undefined) return undefined;
  if (typeof value === 'number') return wholeMs(value * factor);
  if (typeof value !== 'string') return undefined;
  return /^\d+(\.\d+)?$/.test(value) ? wholeMs(Number(value) * factor) : parseDuration(value);
}

function resetHint(key: string, value: unknown, clockMs: number | undefined): number | undefined {
  if (key !== 'resetsat' && key !== 'resetat' && key !== 'quotaresettimestamp') return undefined;
  if (clockMs === undefined) return undefined;
  const at = typeof value === 'string' ? parseRfc3339(value) : value;
  if (typeof at !== 'number') return undefined;
  return wholeMs((at < 1e12 ? at * 1000 : at) - clockMs);
}

type Reading = {
  readonly codes: Set<string>;
  readonly numbers: Set<number>;
  readonly headers: HeaderRecord;
  readonly codeStatus: number | null;
  readonly otherStatus: number | null;
  readonly forbidsRetry: boolean;
};

/** Reads codes, statuses and headers of all objects; of each the nearest to the surface wins. */
function readObjects(entries: readonly (readonly [string, unknown])[]): Reading {
  const codes = new Set<string>();
  const numbers = new Set<number>();
  let headers: HeaderRecord = {};
  let codeStatus: number | null = null;
  let otherStatus: number | null = null;
  let forbidsRetry = false;
  for (const [key, value] of entries) {
    if (codeKeys.has(key)) addCode(codes, value);
    if (endKeys.has(key) && typeof value === 'string') addCode(codes, `finish ${value}`);
    if (key === 'code') {
      codeStatus ??= asErrorStatus(value);
      const number = typeof value === 'string' && /^-?\d{1,5}$/.test(value) ? Number(value) : value;
      if (typeof number === 'number' && number < 400) numbers.add(number);
    }
    if (key === 'quotavalue' && String(value) === '0') codes.add('quotavalue0');
    if (statusKeys.has(key)) otherStatus ??= asErrorStatus(value);
    if (headerKeys.has(key)) headers = { ...headerRecord(value), ...headers };
    if (key === 'retryable' && value === false) forbidsRetry = true;
  }
  return { codes, numbers, headers, codeStatus, otherStatus, forbidsRetry };
}

function statusInText(sentences: readonly string[]): number | null {
  for (const sentence of sentences) {
    for (const form of statusForms) {
      const status = asErrorStatus(form.exec(sentence)?.[1]);
      if (status !== null) return status;
    }
  }
  return null;
}

function entriesOf(visits: readonly Visit[]): readonly (readonly [string, unknown])[] {
  return visits.flatMap((visit) =>
    visit.kind === 'object'
      ? Object.entries(visit.value).map(([key, value]) => [plainKey(key), value] as const)
      : [],
  );
}

function bodyHint(
  entries: readonly (readonly [string, unknown])[],
  clockMs: number | undefined,
): number | undefined {
  for (const [key, value] of entries) {
    const found = fieldHint(key, value) ?? resetHint(key, value, clockMs);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The status of the answer that an error or the nearest of its causes stands for. */
function answerStatus(error: unknown): number | null {
  let layer = error;
  for (let depth = 0; depth <= maxCauses && isRecord(layer); depth += 1) {
    if (typeof layer.status === 'number') return layer.status;
    layer = layer.cause;
  }
  return null;
}

/** Returns all that the error of an input says. Reads plain data only and never throws on it. */
export function gatherEvidence(input: ClassifyInput): Evidence {
  const visits = walkError(input.error);
  const entries = entriesOf(visits);
  const reading = readObjects(entries);
  const sentences = visits.flatMap((visit) =>
    visit.kind === 'text' && visit.value.trim() !== '' ? [visit.value.trim()] : [],
  );
  for (const sentence of sentences) {
    // "14 UNAVAILABLE: ..." is how gRPC's libraries write a status.
    const word = /^\d{1,2} ([A-Z]+(?:_[A-Z]+)*):/.exec(sentence)?.[1];
    addCode(reading.codes, word);
    addCode(reading.codes, word === undefined ? word : `grpc ${word}`);
    // "connect ECONNREFUSED 127.0.0.1:80" is all that Node's errors keep once serialized.
    addCode(reading.codes, systemCall.exec(sentence)?.[1]);
  }
  for (const type of reading.headers['x-amzn-errortype'] ?? []) addCode(reading.codes, type);

  const localMs = typeof input.now === 'string' ? parseRfc3339(input.now) : undefined;
  const clockMs = hintClock(reading.headers, localMs);
  const text = sentences.join('\n');
  return {
    localAborted: input.localAborted === true,
    outerStatus: answerStatus(input.error),
    status:
      reading.codeStatus ??
      asErrorStatus(input.error?.status) ??
      reading.otherStatus ??
      statusInText(sentences),
    codes: reading.codes,
    numbers: reading.numbers,
    text,
    sentences,
    headers: reading.headers,
    clockMs,
    hintMs:
      retryAfterHint(reading.headers, clockMs) ??
      bodyHint(entries, clockMs) ??
      hintFromText(text, clockMs),
    forbidsRetry: reading.forbidsRetry,
  };
}
