import { type BackoffRequest, backoffDelay } from '../../src/budget/index.js';

/** Returns a source of chance that gives these numbers, and the last one for ever after. */
function draws(...numbers: readonly number[]): () => number {
  let next = 0;
  return () => numbers[Math.min(next++, numbers.length - 1)] ?? Number.NaN;
}

/** Draws one wait after another, each from the one before. */
export function chainOfWaits(
  base: Pick<BackoffRequest, 'baseMs' | 'capMs'>,
  numbers: readonly number[],
): number[] {
  const random = draws(...numbers);
  let previousMs = base.baseMs;
  return numbers.map((_, retry) => {
    previousMs = backoffDelay({ ...base, retry, jitter: 'decorrelated', previousMs, random });
    return previousMs;
  });
}
