import type { WaitDetail } from '../contract/call-header.js';

/** Times that a call waits at most; then it is given up. */
export const MAX_WAITS = 100;
export const SHORTEST_WAIT_MS = 100;

const MOST_DOUBLINGS = 4;

/**
 * Returns the place in a limiter's queue with which a call comes back. Where it waits for something else meanwhile, such
 * as room in a bulkhead that it met first, nobody has given up its place.
 */
export function placeAfter(wait: WaitDetail, placeBefore: string | null): string | null {
  return wait.ticket ?? placeBefore;
}

/**
 * Returns a wait as it is waited for. A place in a bulkhead can't be booked: whoever finds it full again and again
 * asks less and less often, so that a downstream that hangs doesn't fill the history with waits.
 */
export function lengthened(wait: WaitDetail, waitsBefore: number): WaitDetail {
  if (wait.what !== 'bulkhead') return wait;
  return { ...wait, waitMs: wait.waitMs * 2 ** Math.min(MOST_DOUBLINGS, waitsBefore) };
}
