import type {
  BatchCounts,
  BatchInput,
  BatchProgress,
  BatchResult,
  FailedItem,
  FilePlace,
} from '../contract/batch.js';
import {
  parseRanges,
  type Range,
  rangesFrom,
  showRanges,
  withRange,
} from '../contract/item-ranges.js';

/** What a batch knows of its items. */
export type BatchState = {
  /** Where the items that weren't taken yet begin. */
  readonly next: FilePlace;
  readonly counts: BatchCounts;
  readonly paused: boolean;
  /** Numbers of items without an answer. */
  readonly unanswered: readonly Range[];
  readonly failures: readonly FailedItem[];
};

/** The same as it is carried over continue-as-new: ranges as a text, of which many have room in one message. */
export type CarriedBatch = Omit<BatchState, 'unanswered'> & { readonly unanswered: string };

/** How an item ended. */
export type ItemEnd =
  | { readonly kind: 'ok' | 'degraded' | 'repeated' }
  | { readonly kind: 'failed' | 'cancelled'; readonly reason: string };

const FAILURES_KEPT = 100;
const REASON_LENGTH = 200;

/**
 * Ranges of items without an answer that a batch keeps: more would not pass from one run to the next. Items fail so
 * scattered where nearly all of many do.
 */
const RANGES_KEPT = 100_000;

/** Nothing was taken yet. */
export const initialBatchState: BatchState = {
  next: { offset: 0, line: 1 },
  counts: { started: 0, ok: 0, degraded: 0, failed: 0, cancelled: 0, repeated: 0 },
  paused: false,
  unanswered: [],
  failures: [],
};

/** Puts a batch's state into the form in which it is carried. */
export function carriedState(state: BatchState): CarriedBatch {
  return { ...state, unanswered: showRanges(state.unanswered) };
}

/** Takes it out of that form again. */
export function resumedState(carried: CarriedBatch): BatchState {
  return { ...carried, unanswered: parseRanges(carried.unanswered) ?? [] };
}

/** Tells whether a batch can't keep count of further failures. */
export function isFull({ unanswered }: BatchState): boolean {
  return unanswered.length >= RANGES_KEPT;
}

/** Notes that an item was taken, and where the next one stands. */
export function taken(state: BatchState, next: FilePlace): BatchState {
  return { ...state, next, counts: { ...state.counts, started: state.counts.started + 1 } };
}

/** Notes how an item ended. */
export function ended(
  state: BatchState,
  item: { readonly number: number; readonly workflowId: string | null },
  end: ItemEnd,
): BatchState {
  const counts = { ...state.counts, [end.kind]: state.counts[end.kind] + 1 };
  if (!('reason' in end)) return { ...state, counts };
  const { number } = item;
  const failure: FailedItem = { ...item, reason: end.reason.slice(0, REASON_LENGTH) };
  return {
    ...state,
    counts,
    unanswered: withRange(state.unanswered, { first: number, last: number }),
    failures: [...state.failures, failure].slice(-FAILURES_KEPT),
  };
}

/** Returns how far a batch is. */
export function progressOf(
  { counts, paused, unanswered, failures }: BatchState,
  { itemsLeft, running }: { readonly itemsLeft: number | null; readonly running: number },
): BatchProgress {
  const total = itemsLeft === null ? null : counts.started + itemsLeft;
  return { ...counts, total, running, paused, failedItems: showRanges(unanswered), failures };
}

/** Returns what a batch came to. */
export function resultOf(
  state: BatchState,
  end: { readonly batchId: string; readonly rest: readonly Range[]; readonly isCancelled: boolean },
): BatchResult {
  const { started: total, ...counts } = state.counts;
  const without = end.rest.reduce(withRange, state.unanswered);
  const kind = without.length === 0 ? 'ok' : end.isCancelled ? 'cancelled' : 'partial';
  const { batchId } = end;
  return {
    kind,
    total,
    ...counts,
    batchId,
    failedItems: showRanges(without),
    failures: state.failures,
  };
}

/** Returns the items that a batch is to run from a number on, as ranges. */
export function restOf({ only, items }: BatchInput, from: number): readonly Range[] {
  const end = items === undefined ? Number.POSITIVE_INFINITY : items.length;
  const all = only === undefined ? [{ first: 1, last: end }] : (parseRanges(only) ?? []);
  return rangesFrom(all, from)
    .filter(({ first }) => first <= end)
    .map(({ first, last }) => ({ first, last: Math.min(last, end) }));
}
