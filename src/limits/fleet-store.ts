import type { RatioFigures } from '../budget/ratio-budget.js';

/**
 * A stretch of the store's clock: bucket n holds what happens from n times its length on, until the next one
 * begins. Stores count in buckets, so that a window is a few rows however many calls it has.
 */
export type BucketNumber = number;

/** What a worker has to say about one bucket: more calls and retries than it said before, or fewer. */
export type FleetChange = {
  readonly bucket: BucketNumber;
  readonly calls: number;
  readonly retries: number;
};

/** What a worker says and asks in one exchange with the fleet. */
export type FleetReport = {
  /** Names the window; figures with another length of it belong to another name. */
  readonly window: string;
  readonly figures: RatioFigures;
  readonly changes: readonly FleetChange[];
  /** Retries that wait for a decision, by the buckets in which they are due. They are granted in this order. */
  readonly asks: readonly BucketNumber[];
  /** Retries that may be decided without asking until the lease ends. */
  readonly lease: number;
};

/** What the store answers. What it grants and leases is charged. */
export type FleetAnswer = {
  /** Epoch milliseconds, or those of whatever clock the store has. */
  readonly nowMs: number;
  /** How many of the asks are granted: the first ones. */
  readonly granted: number;
  readonly leased: number;
  /** The bucket in which the leased ones stand as due until a change says otherwise: the one of the lease's end. */
  readonly leaseBucket: BucketNumber;
  /** Calls in the window, those of this report included. */
  readonly calls: number;
  /** Retries in the window, those that were granted and leased by this answer included. */
  readonly retries: number;
};

/**
 * Keeps the windows of a fleet. It never grants more retries than the figures allow of the calls that were reported:
 * a call that nobody has reported yet can only make room for more. Of a bucket that the window's edge cuts, the
 * calls no longer count and the retries still do.
 */
export interface FleetStore {
  readonly kind: 'memory' | 'postgres';
  /**
   * Takes a report and answers it, in one step that no other exchange of the window comes between.
   * @throws FleetStoreUnavailableError where it gives no answer
   */
  exchange(report: FleetReport): Promise<FleetAnswer>;
  close(): Promise<void>;
}

/** A window of ten seconds has buckets of 250 ms: its calls are counted 2.5 % short at most. */
const bucketsInWindow = 40;
const leasesInWindow = 5;

/** Returns the milliseconds that a bucket of a window lasts. */
export function bucketMsOf(windowMs: number): number {
  return Math.ceil(windowMs / bucketsInWindow);
}

/** Returns the milliseconds that a lease lasts. */
export function leaseMsOf(windowMs: number): number {
  return Math.ceil(windowMs / leasesInWindow);
}
