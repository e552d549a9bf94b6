const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const unitPattern =
  'milliseconds?|millis|msecs?|ms|ns|us|µs|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|hr|h|days?|d';
const partPattern = `\\d+(?:\\.\\d+)?\\s{0,2}(?:${unitPattern})(?![a-zµ])`;

/** Regular-expression source of a duration with units, to be set into larger patterns. */
export const durationPattern = `${partPattern}(?:(?:\\s{0,2},?\\s{0,2}(?:and\\s)?)${partPattern}){0,4}`;

const whole = new RegExp(`^${durationPattern}$`, 'i');
const part = new RegExp(`(\\d+(?:\\.\\d+)?)\\s{0,2}(${unitPattern})(?![a-zµ])`, 'gi');

/** Returns the short form of a unit that may be spelled out ("minutes" is m, "msec" is ms). */
function shortUnit(unit: string): string {
  const lower = unit.toLowerCase();
  if (lower in unitMs) return lower;
  return lower.startsWith('milli') || lower.startsWith('ms') ? 'ms' : lower.charAt(0);
}

/**
 * Returns milliseconds rounded up to a whole one, so that a hint is never shortened; undefined
 * when the number is negative or not finite. Noise of binary fractions is cut at 1e-6 ms first.
 */
export function wholeMs(milliseconds: number): number | undefined {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) return undefined;
  const rounded = Math.round(milliseconds);
  return Math.abs(milliseconds - rounded) < 1e-6 ? rounded : Math.ceil(milliseconds);
}

/**
 * Returns the milliseconds of a duration with units: "6m0s", "7.66s", "174ms", "1h2m",
 * "26 seconds", "1 minute and 30 seconds". The whole text must be one; a bare number has no
 * unit and is undefined.
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 100 || !whole.test(trimmed)) return undefined;
  let total = 0;
  for (const [, amount, unit] of trimmed.matchAll(part)) {
    total += Number(amount) * (unitMs[shortUnit(unit ?? '')] ?? Number.NaN);
  }
  return wholeMs(total);
}
