/**
 * Durations in buckets whose bounds grow by a constant factor, as plain JSON: index of the bucket to
 * number of durations. Its size follows the range of the durations, not their number: at most 620 buckets
 * from a millisecond to a year.
 * Source: C. Masson, J. E. Rim, H. K. Lee, "DDSketch: A Fast and Fully-Mergeable Quantile Sketch with
 * Relative-Error Guarantees", VLDB 2019, section 2.
 */
export type LatencySketch = Readonly<Record<string, number>>;

/** A quantile is off by at most this share of itself. */
export const sketchError = 0.02;

const growth = (1 + sketchError) / (1 - sketchError);
const logGrowth = Math.log(growth);
const longestMs = 366 * 86_400_000;

/** Returns the sketch with further durations in milliseconds; those under 1 ms count as 1 ms. */
export function addDurations(sketch: LatencySketch, durationsMs: readonly number[]): LatencySketch {
  if (durationsMs.length === 0) return sketch;
  const buckets: Record<string, number> = { ...sketch };
  for (const durationMs of durationsMs) {
    const bucket = bucketOf(durationMs);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  return buckets;
}

/** Returns the duration that a share `quantile` of all durations doesn't pass, or null without any. */
export function quantileMs(sketch: LatencySketch, quantile: number): number | null {
  const buckets = Object.entries(sketch)
    .map(([bucket, count]) => ({ bucket: Number(bucket), count }))
    .sort((a, b) => a.bucket - b.bucket);
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(quantile * total));
  let passed = 0;
  for (const { bucket, count } of buckets) {
    passed += count;
    if (passed >= rank) return (2 * growth ** bucket) / (growth + 1);
  }
  return null;
}

function bucketOf(durationMs: number): number {
  const bounded = Math.min(longestMs, Math.max(1, durationMs));
  return Math.ceil(Math.log(bounded) / logGrowth);
}
