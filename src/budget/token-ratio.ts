/** Real tokens of a model's input for each estimated one, before anything was learned. */
export const initialTokenRatio = 1;

const WEIGHT = 0.2;
const LEAST = 0.25;
const MOST = 4;

/**
 * Returns the ratio after one more answer: an exponentially weighted mean of what was used over what was estimated,
 * of which the newest answer is a fifth. Kept within a quarter and four, so that no odd answer makes estimates
 * worthless; an answer without figures teaches nothing.
 */
export function learnTokenRatio(
  ratio: number,
  { estimated, used }: { readonly estimated: number; readonly used: number },
): number {
  if (!(estimated > 0) || !(used > 0) || !Number.isFinite(used / estimated)) return ratio;
  return ratio + WEIGHT * (bounded(used / estimated) - ratio);
}

function bounded(ratio: number): number {
  return Math.min(MOST, Math.max(LEAST, ratio));
}
