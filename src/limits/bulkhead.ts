/** Calls that run at the same moment, counted for each key in this process. */
export type Bulkhead = {
  /**
   * Enters where fewer than `maxConcurrent` calls of the key run.
   * Returns what leaves again (a second time it does nothing), or undefined where it is full.
   */
  readonly tryEnter: (key: string, maxConcurrent: number) => (() => void) | undefined;
  /** Calls of the key that run. */
  readonly running: (key: string) => number;
};

/** Returns an empty bulkhead: one downstream that hangs then takes no more than its share of a worker's slots. */
export function createBulkhead(): Bulkhead {
  const counts = new Map<string, number>();
  const leave = (key: string): void => {
    const left = (counts.get(key) ?? 1) - 1;
    if (left === 0) counts.delete(key);
    else counts.set(key, left);
  };
  return {
    tryEnter: (key, maxConcurrent) => {
      const running = counts.get(key) ?? 0;
      if (running >= maxConcurrent) return undefined;
      counts.set(key, running + 1);
      let hasLeft = false;
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        leave(key);
      };
    },
    running: (key) => counts.get(key) ?? 0,
  };
}
