/** Buckets for each doubling: a quantile is at most 1.1 % above the true one. */
const perDoubling = 64;
const doublings = 40;

/** Counts durations in buckets that widen with them, so that a billion of them take no more room than one. */
export class Latencies {
  readonly #counts = new Float64Array(perDoubling * doublings);
  count = 0;

  add(durationMs: number): void {
    const bucket = Math.ceil(Math.log2(durationMs + 1) * perDoubling);
    const place = Math.min(this.#counts.length - 1, bucket); // the last one is 35 years
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.count += 1;
  }

  clear(): void {
    if (this.count > 0) this.#counts.fill(0);
    this.count = 0;
  }

  /** Returns the milliseconds that a share of the durations doesn't pass, to a hundredth; 0 of none. */
  quantile(share: number): number {
    let left = this.count * share;
    if (left === 0) return 0;
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return 2 ** (bucket / perDoubling) - 1;
    }
    return 0;
  }
}
