import { proxyActivities } from '@temporalio/workflow';
import type { BuiltInActivities } from '../activities/built-in.js';
import type { BatchInput, FilePlace, ItemPage } from '../contract/batch.js';
import { type Range, showRanges } from '../contract/item-ranges.js';
import { restOf } from './batch-state.js';

/** An item with its number from 1, or what is wrong with its line. */
export type NumberedItem = { readonly number: number } & (
  | { readonly kind: 'item'; readonly item: unknown }
  | { readonly kind: 'fault'; readonly fault: string }
);

/** Hands out items one after the other. */
export type ItemSource = {
  /** Looks for the next item; false where there is none. It may have to ask an activity. */
  readonly find: () => Promise<boolean>;
  /** Returns the item that was found, and where the ones behind it begin. */
  readonly take: () => { readonly item: NumberedItem; readonly next: FilePlace };
  /** Items still to come; null where that isn't known. */
  readonly left: () => number | null;
};

/** Pages hold no more items than this, so no more ranges than this can matter to one. */
const RANGES_ASKED = 100;

const activities = proxyActivities<Pick<BuiltInActivities, 'holdfast_read_items'>>({
  startToCloseTimeout: 60_000,
  scheduleToCloseTimeout: 600_000,
  retry: { maximumAttempts: 5, nonRetryableErrorTypes: ['InvalidRequestError'] },
});

/** Returns the source of a batch's items from a place on. */
export function itemSource(input: BatchInput, from: FilePlace): ItemSource {
  const { items, file = '' } = input;
  return items === undefined
    ? fileSource(file, input, from)
    : listSource(items, restOf(input, from.line));
}

function listSource(items: readonly unknown[], ranges: readonly Range[]): ItemSource {
  const numbers = ranges.flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
  let at = 0;
  return {
    find: async () => at < numbers.length,
    take: () => {
      const number = numbers[at] ?? 0;
      at += 1;
      const item = { kind: 'item', number, item: items[number - 1] } as const;
      return { item, next: { offset: 0, line: number + 1 } };
    },
    left: () => numbers.length - at,
  };
}

function fileSource(file: string, input: BatchInput, from: FilePlace): ItemSource {
  let page: ItemPage = { lines: [], next: from, isEnd: false };
  let at = 0;
  return {
    find: async () => {
      while (at >= page.lines.length && !page.isEnd) {
        const wanted = restOf(input, page.next.line).slice(0, RANGES_ASKED);
        page =
          wanted.length === 0
            ? { ...page, lines: [], isEnd: true }
            : await activities.holdfast_read_items({
                file,
                from: page.next,
                only: showRanges(wanted),
              });
        at = 0;
      }
      return at < page.lines.length;
    },
    take: () => {
      const line = page.lines[at];
      if (line === undefined) throw new Error('Nothing was found before it was taken.');
      at += 1;
      const { at: place, ...item } = line;
      return { item: { number: place.line, ...item }, next: page.lines[at]?.at ?? page.next };
    },
    left: () => (page.isEnd ? page.lines.length - at : null),
  };
}
