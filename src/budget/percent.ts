/** Percentages count to six decimals: a product of floats would make 29 % of 100 into 28. */
const scale = 1_000_000;

/**
 * Returns a number below 0 where a part is less than so many percent of the whole, 0 where it is just that, and a
 * number above 0 where it is more. Part and whole are counts of up to ten million.
 */
export function comparePercent(part: number, whole: number, percent: number): number {
  return part * 100 * scale - Math.round(percent * scale) * whole;
}

/** Returns the largest count that is at most so many percent of the whole. */
export function mostWithinPercent(whole: number, percent: number): number {
  return Math.floor((Math.round(percent * scale) * whole) / (100 * scale));
}
