/**
 * A message as a history holds it: decoded from protobuf, or parsed from the JSON of Temporal's tools. The fields
 * have the same names in both; times, durations, enums and long numbers don't look the same.
 */
export type Raw = Readonly<Record<string, unknown>>;

const nothing: Raw = {};

/** Returns a value as a message; one without fields for whatever is none. */
export function asMessage(value: unknown): Raw {
  return typeof value === 'object' && value !== null ? (value as Raw) : nothing; // every object has readable fields
}

/** Tells whether there is a message. */
export function isPresent(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Returns a value as a list; an empty one for whatever is none. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a text, or an empty one. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns a text that says something, or null. */
export function textOrNull(value: unknown): string | null {
  return asText(value) === '' ? null : asText(value);
}

/** Returns a number that stands as such, as a text, or as a long number of protobuf; 0 for whatever is none. */
export function asNumber(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? value : 0;
  if (typeof value === 'string') return asNumber(Number(value));
  const { low, high, unsigned } = asMessage(value);
  if (typeof low !== 'number' || typeof high !== 'number') return 0;
  return (unsigned === true ? high >>> 0 : high) * 2 ** 32 + (low >>> 0);
}

/** Returns a timestamp in whole epoch milliseconds, or null. */
export function timeMs(value: unknown): number | null {
  if (typeof value === 'string') {
    const parsed = Date.parse(value);
    return Number.isNaN(parsed) ? null : parsed;
  }
  if (!isPresent(value)) return null;
  const { seconds, nanos } = asMessage(value);
  const ms = asNumber(seconds) * 1_000 + Math.floor(asNumber(nanos) / 1_000_000);
  // Go's zero time, the year 1, stands for no time.
  return ms > 0 ? ms : null;
}

/** Returns a duration in milliseconds; null for none and for 0, which stands for none. */
export function durationMs(value: unknown): number | null {
  const ms = typeof value === 'string' ? parsedDuration(value) : messageDuration(value);
  return ms > 0 ? ms : null;
}

function parsedDuration(value: string): number {
  const [, whole = '0', part = ''] = /^(\d{1,15})(?:\.(\d{1,9}))?s$/.exec(value) ?? [];
  return Number(whole) * 1_000 + Number(part.padEnd(9, '0')) / 1_000_000;
}

function messageDuration(value: unknown): number {
  const { seconds, nanos } = asMessage(value);
  return asNumber(seconds) * 1_000 + asNumber(nanos) / 1_000_000;
}

/**
 * Returns the name of an enum's value without its prefix, `MAXIMUM_ATTEMPTS_REACHED`: of its number, of its full
 * name, and of the spelling `MaximumAttemptsReached`. Null for none and for 0, which stands for none.
 */
export function enumName(
  value: unknown,
  { prefix, names }: { readonly prefix: string; readonly names: readonly string[] },
): string | null {
  if (typeof value === 'number') return names[value - 1] ?? null;
  if (typeof value !== 'string' || value === '') return null;
  const name = value.startsWith(prefix)
    ? value.slice(prefix.length)
    : value.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  return name === 'UNSPECIFIED' ? null : name;
}
