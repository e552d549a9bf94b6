/** What a batch is started with: items of its own, or a file of them. */
export type BatchInput<Item = unknown> = {
  readonly items?: readonly Item[] | undefined;
  /** Path of a file of JSON Lines below the folder that the workers allow; it must not change while the batch runs. */
  readonly file?: string | undefined;
  /**
   * The numbers of the items to run, such as `3,7-9,120-`: what `failedItems` of an earlier result holds. An item that
   * ran before runs again under the same workflow id, so that what its tools have done isn't done twice.
   * @default all
   */
  readonly only?: string | undefined;
  /**
   * Begins the workflow ids of the items. Give the id of the earlier batch where this one has another.
   * @default the batch's workflow id
   */
  readonly batchId?: string | undefined;
  /** Items that run at once. @default the definition's */
  readonly concurrency?: number | undefined;
  /** Milliseconds between chunks of so many starts. @default the definition's */
  readonly pauseMs?: number | undefined;
};

/** What holds where neither the definition nor the input says anything (spec, Batches). */
export const batchDefaults = { concurrency: 5, pauseMs: 200 } as const;

/** Counts of a batch's items. */
export type BatchCounts = {
  readonly started: number;
  readonly ok: number;
  /** Answered, but with a fallback or without an optional part. */
  readonly degraded: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Not run, since their workflow id was taken: they were done before, or stand twice in the batch. */
  readonly repeated: number;
};

/** An item that failed. */
export type FailedItem = {
  /** Its number, from 1; in a file, its line. */
  readonly number: number;
  readonly workflowId: string | null;
  readonly reason: string;
};

/** How far a batch is, as the query `holdfast.progress` says. */
export type BatchProgress = BatchCounts & {
  /** All items; null while the end of the file isn't reached. */
  readonly total: number | null;
  readonly running: number;
  readonly paused: boolean;
  /** Numbers of items that failed or were cancelled so far. */
  readonly failedItems: string;
  /** The last of them, at most 100, with the reason. */
  readonly failures: readonly FailedItem[];
};

/**
 * How a batch ended: `ok` with every item answered; `partial` with some that weren't; `cancelled` by a person, with
 * the rest not run.
 */
export type BatchResult = Omit<BatchCounts, 'started'> & {
  readonly kind: 'ok' | 'partial' | 'cancelled';
  /** Items that were looked at. */
  readonly total: number;
  /** What begins the workflow ids of the items. */
  readonly batchId: string;
  /** Numbers of the items that have no answer, for `only`; empty where all have one. */
  readonly failedItems: string;
  /** The last of those that ran, at most 100, with the reason. */
  readonly failures: readonly FailedItem[];
};

/** The argument of a batch's updates: who says so. */
export type BatchWord = { readonly by: string; readonly note?: string | undefined };

/** What a batch's updates return. */
export type BatchReceipt = { readonly paused: boolean; readonly cancelled: boolean };

/** The query that every batch answers. Returns BatchProgress. */
export const PROGRESS_QUERY = 'holdfast.progress';

/** Names of the updates by which people steer a batch; each takes BatchWord. */
export const batchUpdates = {
  /** Starts no further item; those that run go on. */
  pause: 'holdfast.pauseBatch',
  resume: 'holdfast.resumeBatch',
  /** Cancels the items that run and starts no further one; the batch then ends with its result. */
  cancel: 'holdfast.cancelBatch',
} as const;

/** Why an update of a batch is refused beside a wrong form, which is `invalid-request`. */
export const batchRefusals = {
  paused: 'already-paused',
  notPaused: 'not-paused',
  cancelled: 'already-cancelled',
} as const;

/** Where in a file to read on: the offset of a line's first byte, and the line's number from 1. */
export type FilePlace = { readonly offset: number; readonly line: number };

/** What the activity is asked. */
export type ReadItems = {
  readonly file: string;
  readonly from: FilePlace;
  /** Ranges of lines to return; others are passed over. */
  readonly only: string;
};

/** A line of the file: an item, or what is wrong with it. */
export type ItemLine = { readonly at: FilePlace } & (
  | { readonly kind: 'item'; readonly item: unknown }
  | { readonly kind: 'fault'; readonly fault: string }
);

/** Some lines in order, where those behind them begin, and whether there are any. */
export type ItemPage = {
  readonly lines: readonly ItemLine[];
  readonly next: FilePlace;
  readonly isEnd: boolean;
};
