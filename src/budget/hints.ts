import { bucketHint, parseReset } from './hints-buckets.js';
import { parseDate } from './hints-dates.js';
import { parseDuration, wholeMs } from './hints-duration.js';
import { type HeaderRecord, headerRecord, headerValues } from './hints-headers.js';

const unsignedDecimal = /^\d+(?:\.\d+)?$/;
// Nobody asks for a wait of 31 years: a number of seconds this large is a point in time.
const epochSecondsFrom = 1e9;
const millisecondHeaders = ['retry-after-ms', 'x-ms-retry-after-ms', 'x-amz-retry-after'];

/**
 * Returns the milliseconds that a Retry-After value asks for (RFC 9110, 10.2.3): seconds, whole
 * or decimal, without a sign; or an HTTP date or RFC 3339 time later than `nowMs`. Anything else
 * is undefined, as is a date that is past; parts of a value are never read.
 */
export function parseRetryAfter(
  value: string | null | undefined,
  nowMs: number,
): number | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (unsignedDecimal.test(text)) return wholeMs(Number(text) * 1000);
  const at = parseDate(text, nowMs);
  return at !== undefined && at > nowMs ? wholeMs(at - nowMs) : undefined;
}

function firstOf(
  values: readonly string[],
  parse: (value: string) => number | undefined,
): number | undefined {
  for (const value of values) {
    const parsed = parse(value);
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

function parseMilliseconds(value: string): number | undefined {
  return unsignedDecimal.test(value) ? wholeMs(Number(value)) : undefined;
}

function parseRetryAfterHeader(value: string, nowMs: number | undefined): number | undefined {
  if (unsignedDecimal.test(value) && Number(value) >= epochSecondsFrom) {
    return parseReset(value, nowMs);
  }
  // Without a clock every date is past, so only durations are left.
  return parseRetryAfter(value, nowMs ?? Number.POSITIVE_INFINITY) ?? parseDuration(value);
}

/**
 * Returns the milliseconds of the headers that say outright when to come back, the finer one
 * first: `retry-after-ms`, `x-ms-retry-after-ms`, `x-amz-retry-after` (all milliseconds), then
 * `retry-after`, in which a duration with units ("6m0s") and an epoch count too.
 */
export function retryAfterHint(
  headers: HeaderRecord,
  nowMs: number | undefined,
): number | undefined {
  for (const name of millisecondHeaders) {
    const found = firstOf(headerValues(headers, name), parseMilliseconds);
    if (found !== undefined) return found;
  }
  return firstOf(headerValues(headers, 'retry-after'), (value) =>
    parseRetryAfterHeader(value, nowMs),
  );
}

/**
 * Returns the time that hints of this answer are relative to: the server's own Date header, else
 * the local `nowMs`, else undefined. A skewed local clock then can't stretch or cut a hint.
 */
export function hintClock(headers: HeaderRecord, nowMs: number | undefined): number | undefined {
  return firstOf(headerValues(headers, 'date'), (value) => parseDate(value, nowMs)) ?? nowMs;
}

/**
 * Returns the wait in whole milliseconds that an answer's headers ask for, or undefined: the
 * outright headers (`retry-after` and its millisecond forms), else the resets of exhausted rate
 * limits. Takes a plain object with names in any case, a list of pairs, a `Headers` or a `Map`;
 * `nowMs` is the local epoch time, where there is one, and the Date header outranks it.
 */
export function hintFromHeaders(headers: unknown, nowMs?: number): number | undefined {
  const record = headerRecord(headers);
  const clockMs = hintClock(record, nowMs);
  return retryAfterHint(record, clockMs) ?? bucketHint(record, clockMs);
}
