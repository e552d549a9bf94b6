import type { LimitFigures } from './limiter.js';

/** The figures of a limit as numbers to compare with: infinity where there is none. */
export type LimitValues = {
  readonly requests: number;
  readonly tokens: number;
  /** Milliseconds between two admissions, at least. */
  readonly intervalMs: number;
};

/** Returns the figures as values; undefined where nothing is limited. */
export function limitValues(figures: LimitFigures): LimitValues | undefined {
  const { requestsPerMinute: requests, tokensPerMinute: tokens, pace = false } = figures;
  if (requests === undefined && tokens === undefined) return undefined;
  return {
    requests: requests ?? Number.POSITIVE_INFINITY,
    tokens: tokens ?? Number.POSITIVE_INFINITY,
    intervalMs: pace && requests !== undefined ? 60_000 / requests : 0,
  };
}
