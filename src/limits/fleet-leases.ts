import type { BucketNumber } from './fleet-store.js';

type Lease = { left: number; readonly bucket: BucketNumber; readonly untilMs: number };

/** Retries that the fleet has leased to a worker, oldest first. */
export class FleetLeases {
  readonly #leases: Lease[] = [];

  constructor(
    /** Hears what is given back: so many retries that stand in a bucket of the store. */
    readonly giveBack: (bucket: BucketNumber, retries: number) => void,
  ) {}

  add(lease: Readonly<Lease>): void {
    if (lease.left > 0) this.#leases.push({ ...lease });
  }

  /** Takes one, and returns the bucket in which it stands; undefined where none is left. */
  spend(nowMs: number): BucketNumber | undefined {
    this.#giveBackUntil(nowMs);
    const [first] = this.#leases;
    if (first === undefined) return undefined;
    first.left -= 1;
    if (first.left === 0) this.#leases.shift();
    return first.bucket;
  }

  /** Returns how many may still be spent. */
  left(nowMs: number): number {
    this.#giveBackUntil(nowMs);
    return this.#leases.reduce((sum, { left }) => sum + left, 0);
  }

  /** Gives everything back, its time over or not. */
  end(): void {
    this.#giveBackUntil(Number.POSITIVE_INFINITY);
  }

  #giveBackUntil(nowMs: number): void {
    for (let lease = this.#leases[0]; lease !== undefined; lease = this.#leases[0]) {
      if (lease.untilMs > nowMs) return;
      this.giveBack(lease.bucket, lease.left);
      this.#leases.shift();
    }
  }
}
