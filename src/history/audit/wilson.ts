/** Quantile 0.975 of the normal distribution: 95 % lie within so many deviations of the mean. */
const z = 1.959963984540054;

/** Where a rate lies with 95 % confidence. */
export type Interval = { readonly low: number; readonly high: number };

/**
 * Returns the score interval of a rate after k failures in n trials: the solutions p of
 * (k/n - p)² = z²·p·(1 - p)/n. It holds for few trials and for rates near 0 and 1, where the usual
 * interval is empty. Without trials it is [0, 1].
 * Source: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
 * Journal of the American Statistical Association 22 (1927), pages 209-212.
 */
export function wilsonInterval(failures: number, trials: number): Interval {
  if (trials === 0) return { low: 0, high: 1 };
  const rate = failures / trials;
  const center = rate + (z * z) / (2 * trials);
  const spread = z * Math.sqrt((rate * (1 - rate)) / trials + (z * z) / (4 * trials * trials));
  const scale = 1 + (z * z) / trials;
  return {
    low: failures === 0 ? 0 : Math.max(0, (center - spread) / scale),
    high: failures === trials ? 1 : Math.min(1, (center + spread) / scale),
  };
}
