import { setTimeout as sleep } from 'node:timers/promises';
import type { EffectWorker } from './effect-worker.js';

/** How workers are killed. */
export type ReaperOptions = {
  /** Workers that run at the same time. */
  readonly places: number;
  /** Workers that are killed; those after them live. */
  readonly kills: number;
  readonly start: () => Promise<EffectWorker>;
  /** Requests that have arrived so far, from whichever worker. */
  readonly arrived: () => number;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Aborted when the work is done. */
  readonly signal: AbortSignal;
};

/**
 * A worker lives until so many further requests have arrived, and some milliseconds more: on a busy machine, where
 * everything takes longer, it dies in the midst of its work all the same.
 */
const life = { leastRequests: 5, mostRequests: 20, mostFurtherMs: 500 } as const;
const LOOK_MS = 20;

/**
 * Kills worker after worker, each at a random moment of its work, and starts another one in its place. Returns how
 * many it killed before the work was done; none is left behind.
 */
export async function reap(options: ReaperOptions): Promise<number> {
  const { places, kills, start, signal } = options;
  let doomed = 0;
  let killed = 0;
  const keepPlace = async (): Promise<void> => {
    while (!signal.aborted) {
      const worker = await start();
      const isDoomed = doomed < kills;
      if (isDoomed) doomed += 1;
      await livedOut(options, isDoomed);
      if (!signal.aborted) killed += 1;
      await worker.kill();
    }
  };
  await Promise.all(Array.from({ length: places }, keepPlace));
  return killed;
}

async function livedOut(
  { arrived, random, signal }: ReaperOptions,
  isDoomed: boolean,
): Promise<void> {
  const { leastRequests, mostRequests, mostFurtherMs } = life;
  const requests = leastRequests + random() * (mostRequests - leastRequests);
  const last = isDoomed ? arrived() + requests : Number.POSITIVE_INFINITY;
  while (!signal.aborted && arrived() < last) await sleep(LOOK_MS);
  await sleep(random() * mostFurtherMs, undefined, { signal }).catch(() => {}); // the work is done
}
