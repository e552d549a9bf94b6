import { mostWithinPercent } from '../budget/percent.js';
import type { RatioFigures } from '../budget/ratio-budget.js';
import {
  type BucketNumber,
  bucketMsOf,
  type FleetAnswer,
  type FleetReport,
  type FleetStore,
  leaseMsOf,
} from './fleet-store.js';

type Counts = { calls: number; retries: number };

/** The least number of windows at which those that have run empty are looked for. */
const sweepFrom = 1_000;

/** Returns a store for the budgets of one process; `now` is in milliseconds and never steps back. */
export function createMemoryFleetStore(
  options: { readonly now?: (() => number) | undefined } = {},
): FleetStore {
  const { now = () => performance.now() } = options;
  const windows = new Map<string, FleetWindow>();
  let sweepAt = sweepFrom;
  const sweep = (nowMs: number): void => {
    for (const [name, window] of windows) if (window.isEmpty(nowMs)) windows.delete(name);
    sweepAt = Math.max(sweepFrom, windows.size * 2);
  };
  return {
    kind: 'memory',
    exchange: async (report) => {
      const nowMs = now();
      if (windows.size >= sweepAt) sweep(nowMs);
      const window = windows.get(report.window) ?? new FleetWindow(report.figures.windowMs);
      windows.set(report.window, window);
      return window.exchange(report, nowMs);
    },
    close: async () => {},
  };
}

class FleetWindow {
  readonly #buckets = new Map<BucketNumber, Counts>();
  readonly #bucketMs: number;

  constructor(readonly windowMs: number) {
    this.#bucketMs = bucketMsOf(windowMs);
  }

  exchange({ figures, changes, asks, lease }: FleetReport, nowMs: number): FleetAnswer {
    for (const { bucket, calls, retries } of changes) this.#add(bucket, { calls, retries });
    this.#forget(nowMs);
    const { calls, retries } = this.#sums(nowMs);
    const room = roomOf(figures, { calls, retries });
    const granted = Math.min(asks.length, room);
    const leased = Math.min(lease, room - granted);
    const leaseBucket = Math.floor((nowMs + leaseMsOf(this.windowMs)) / this.#bucketMs);
    for (const bucket of asks.slice(0, granted)) this.#add(bucket, { calls: 0, retries: 1 });
    if (leased > 0) this.#add(leaseBucket, { calls: 0, retries: leased });
    return { nowMs, granted, leased, leaseBucket, calls, retries: retries + granted + leased };
  }

  isEmpty(nowMs: number): boolean {
    this.#forget(nowMs);
    return this.#buckets.size === 0;
  }

  #add(bucket: BucketNumber, more: Readonly<Counts>): void {
    const counts = this.#buckets.get(bucket) ?? { calls: 0, retries: 0 };
    counts.calls += more.calls;
    counts.retries += more.retries;
    this.#buckets.set(bucket, counts);
  }

  #forget(nowMs: number): void {
    for (const bucket of this.#buckets.keys()) {
      if ((bucket + 1) * this.#bucketMs + this.windowMs <= nowMs) this.#buckets.delete(bucket);
    }
  }

  #sums(nowMs: number): Counts {
    const sums = { calls: 0, retries: 0 };
    for (const [bucket, { calls, retries }] of this.#buckets) {
      if (bucket * this.#bucketMs > nowMs - this.windowMs) sums.calls += calls;
      // what is given back may come before what it gives back: alone it makes no room
      sums.retries += Math.max(0, retries);
    }
    return sums;
  }
}

function roomOf({ percent, minSamples }: RatioFigures, { calls, retries }: Counts): number {
  if (calls < minSamples) return Number.POSITIVE_INFINITY;
  return Math.max(0, mostWithinPercent(calls, percent) - retries);
}
