import type { LimitValues } from './limit-values.js';
import { type Spent, windowMs } from './rolling-window.js';

/** From where a forecast begins. */
export type ForecastStart = {
  readonly now: number;
  /** What the window holds, oldest first. */
  readonly spent: readonly Spent[];
  readonly limits: LimitValues;
  /** When the last one was admitted. */
  readonly lastAt: number;
};

/**
 * Returns a function that foretells when the next request in line is admitted, if all reserved tokens are used: one
 * call for each request, in their order. A caller who comes back at `backAt` spends no earlier than that.
 */
export function createForecast(
  start: ForecastStart,
): (request: { readonly tokens: number; readonly backAt: number }) => number {
  const { limits } = start;
  const taken = [...start.spent];
  let requests = taken.reduce((sum, spent) => sum + spent.requests, 0);
  let tokens = taken.reduce((sum, spent) => sum + spent.tokens, 0);
  let freed = 0;
  let at = start.now;
  let lastAt = start.lastAt;

  return (request) => {
    requests += 1;
    tokens += request.tokens;
    while (requests > limits.requests || tokens > limits.tokens) {
      const first = taken[freed];
      if (first === undefined) break; // alone it fits
      freed += 1;
      requests -= first.requests;
      tokens -= first.tokens;
      at = Math.max(at, first.at + windowMs);
    }
    at = Math.max(at, lastAt + limits.intervalMs);
    lastAt = at;
    taken.push({ at: Math.max(at, request.backAt), requests: 1, tokens: request.tokens });
    return at;
  };
}
