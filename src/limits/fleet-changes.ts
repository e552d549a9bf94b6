import type { BucketNumber, FleetChange } from './fleet-store.js';

type Counts = { calls: number; retries: number };
type More = Partial<Readonly<Counts>>;

/** The least number of moments at which those that a window has passed over are looked for. */
const forgetFrom = 1_000;

/** What a worker has not told the fleet yet. */
export class FleetChanges {
  /** By whole milliseconds of the worker's clock: the store's clock isn't known before its first answer. */
  readonly #moments = new Map<number, Counts>();
  readonly #buckets = new Map<BucketNumber, Counts>();
  #forgetAt = forgetFrom;

  constructor(
    readonly windowMs: number,
    readonly bucketMs: number,
  ) {}

  get isEmpty(): boolean {
    return this.#moments.size === 0 && this.#buckets.size === 0;
  }

  /** Something happened, or won't have happened, at a moment of the worker's clock. */
  addAt(atMs: number, more: More): void {
    if (this.#moments.size >= this.#forgetAt) this.#forget(atMs - this.windowMs);
    add(this.#moments, Math.floor(atMs), more);
  }

  /** Something changes in a bucket of the store. */
  addIn(bucket: BucketNumber, more: More): void {
    add(this.#buckets, bucket, more);
  }

  /** Returns everything by buckets and forgets it: it is being told. */
  take(toStoreMs: (atMs: number) => number): readonly FleetChange[] {
    for (const [atMs, counts] of this.#moments) {
      add(this.#buckets, Math.floor(toStoreMs(atMs) / this.bucketMs), counts);
    }
    const changes = [...this.#buckets]
      .filter(([, { calls, retries }]) => calls !== 0 || retries !== 0)
      .map(([bucket, counts]) => ({ bucket, ...counts }));
    this.#moments.clear();
    this.#buckets.clear();
    return changes;
  }

  /**
   * What was told got no answer, and may have been heard or not: only what leaves the fleet less room is told
   * again, so that nothing makes room twice.
   */
  tellAgain(changes: readonly FleetChange[]): void {
    for (const { bucket, calls, retries } of changes) {
      if (calls < 0) this.addIn(bucket, { calls });
      if (retries > 0) this.addIn(bucket, { retries });
    }
  }

  #forget(edgeMs: number): void {
    for (const atMs of this.#moments.keys()) if (atMs <= edgeMs) this.#moments.delete(atMs);
    this.#forgetAt = Math.max(forgetFrom, this.#moments.size * 2);
  }
}

function add(to: Map<number, Counts>, at: number, { calls = 0, retries = 0 }: More): void {
  const counts = to.get(at) ?? { calls: 0, retries: 0 };
  counts.calls += calls;
  counts.retries += retries;
  to.set(at, counts);
}
