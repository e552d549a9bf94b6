import { parseDate } from './hints-dates.js';
import { parseDuration, wholeMs } from './hints-duration.js';
import type { HeaderRecord } from './hints-headers.js';

/** What the headers say of one of a server's rate limits. */
type Bucket = { readonly remaining?: number; readonly resetMs?: number };

const epochSecondsFrom = 1e9;
const epochMillisFrom = 1e12;
const words = /[a-z0-9]+/g;

/**
 * Returns the wait that a reset value asks for: a duration with units, an HTTP date or RFC 3339
 * time, epoch milliseconds, epoch seconds, or plain seconds, told apart by size. Undefined when
 * the time is past or when there is no clock to hold an absolute one against.
 */
export function parseReset(value: string, nowMs: number | undefined): number | undefined {
  if (/^\d+(\.\d+)?$/.test(value)) {
    const amount = Number(value);
    if (amount < epochSecondsFrom) return wholeMs(amount * 1000);
    if (nowMs === undefined) return undefined;
    return wholeMs((amount >= epochMillisFrom ? amount : amount * 1000) - nowMs);
  }
  const duration = parseDuration(value);
  if (duration !== undefined || nowMs === undefined) return duration;
  const at = parseDate(value, nowMs);
  return at === undefined ? undefined : wholeMs(at - nowMs);
}

/** A header's name split into the bucket it speaks of and what it says of it. */
function readName(name: string): { bucket: string; says: string } | undefined {
  const parts: readonly string[] = name.replace('rate-limit', 'ratelimit').match(words) ?? [];
  if (!parts.includes('ratelimit')) return undefined;
  const says = parts.find((word) => ['remaining', 'reset', 'status'].includes(word));
  if (says === undefined) return undefined;
  const rest = parts.filter((word) => !['x', 'ratelimit', 'after', says].includes(word));
  return { bucket: rest.join(' '), says };
}

/** Reads a value such as 0, "rejected" or "allowed" as what is left in a bucket. */
function remainingOf(value: string): number | undefined {
  if (value === 'rejected') return 0;
  if (value.startsWith('allowed')) return 1;
  const amount = Number(value);
  return value !== '' && Number.isFinite(amount) ? amount : undefined;
}

/** The single-header forms of the IETF draft: `limit=1, remaining=0, reset=5`, `"a";r=0;t=5`. */
function draftBucket(value: string): Bucket {
  const remaining = /(?:^|[\s,;])(?:remaining|r)=(\d+)/.exec(value)?.[1];
  const reset = /(?:^|[\s,;])(?:reset|t)=(\d+)/.exec(value)?.[1];
  return {
    ...(remaining === undefined ? {} : { remaining: Number(remaining) }),
    ...(reset === undefined ? {} : { resetMs: Number(reset) * 1000 }),
  };
}

function readBuckets(headers: HeaderRecord, nowMs: number | undefined): readonly Bucket[] {
  const buckets = new Map<string, Bucket>();
  for (const [name, values] of Object.entries(headers)) {
    const value = values[0] ?? '';
    if (name === 'ratelimit') buckets.set('draft', draftBucket(value));
    const read = readName(name);
    if (read === undefined) continue;
    const known = buckets.get(read.bucket) ?? {};
    const remaining = read.says === 'reset' ? undefined : remainingOf(value);
    const resetMs = read.says === 'reset' ? parseReset(value, nowMs) : undefined;
    buckets.set(read.bucket, {
      ...known,
      ...(remaining === undefined ? {} : { remaining }),
      ...(resetMs === undefined ? {} : { resetMs }),
    });
  }
  return [...buckets.values()];
}

function longest(waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/**
 * Returns the wait in milliseconds until the exhausted rate limits of `x-ratelimit-*`,
 * `anthropic-ratelimit-*`, `ratelimit-*` and their like are full again. Limits with something
 * left say nothing; where none is known to be exhausted, those of unknown rest speak.
 */
export function bucketHint(headers: HeaderRecord, nowMs: number | undefined): number | undefined {
  const buckets = readBuckets(headers, nowMs);
  const exhausted = longest(buckets.filter((b) => (b.remaining ?? 1) <= 0).map((b) => b.resetMs));
  if (exhausted !== undefined) return exhausted;
  return longest(buckets.filter((b) => b.remaining === undefined).map((b) => b.resetMs));
}

/** Returns whether some rate limit of the headers has nothing left. */
export function hasExhaustedBucket(headers: HeaderRecord): boolean {
  return readBuckets(headers, undefined).some((bucket) => (bucket.remaining ?? 1) <= 0);
}
