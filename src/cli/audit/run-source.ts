import type { RunFacts } from '../../history/run-facts.js';

/** Where an audit's runs come from: a page at a time, so that no more than one is in memory. */
export type RunSource = {
  /** What a saved state has to have been read from. */
  readonly name: string;
  /** Runs in all, where that is known. */
  readonly count: () => Promise<number | null>;
  /** Returns the page after the one that ended at the cursor; the first one without a cursor. */
  readonly page: (cursor: string | null) => Promise<RunPage>;
};

/** Some runs, and where the next ones begin; null where there are none. */
export type RunPage = {
  readonly runs: readonly RunFacts[];
  readonly next: string | null;
  /** What could not be read, a sentence each. */
  readonly skipped: readonly string[];
};

/** Does something for each of a list, so many at once, and returns the results in the list's order. */
export async function mapAtOnce<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await run(items[index] as Item); // the index is below the length
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}

/** Tells runs from sentences about what could not be read. */
export function sorted(read: readonly (RunFacts | string)[]): Pick<RunPage, 'runs' | 'skipped'> {
  return {
    runs: read.flatMap((one) => (typeof one === 'string' ? [] : [one])),
    skipped: read.flatMap((one) => (typeof one === 'string' ? [one] : [])),
  };
}
