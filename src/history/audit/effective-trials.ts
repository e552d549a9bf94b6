/** What a share is taken of: attempts that come in groups, the calls, and hits among them. */
export type Grouped = {
  readonly groups: number;
  readonly trials: number;
  readonly hits: number;
  /** Sums over the groups: of trials squared, of hits squared, and of trials times hits. */
  readonly trialsSquared: number;
  readonly hitsSquared: number;
  readonly products: number;
};

/** Nothing counted. */
export const noGroups: Grouped = {
  groups: 0,
  trials: 0,
  hits: 0,
  trialsSquared: 0,
  hitsSquared: 0,
  products: 0,
};

/** Groups below which their spread says too little: then the trials of one are taken to be alike. */
const enoughGroups = 30;

/** Returns the sums with one more group. */
export function addGroup(sums: Grouped, trials: number, hits: number): Grouped {
  return {
    groups: sums.groups + 1,
    trials: sums.trials + trials,
    hits: sums.hits + hits,
    trialsSquared: sums.trialsSquared + trials * trials,
    hitsSquared: sums.hitsSquared + hits * hits,
    products: sums.products + trials * hits,
  };
}

/**
 * Returns how many independent trials tell as much of the share hits / trials as these do: attempts of one call
 * tend to fail together, and a thousand of one call say less than those of a thousand calls. Never more than there
 * are; 0 without any.
 * Source: L. Kish, "Survey Sampling" (1965): the variance of a ratio over clusters of unequal size (chapter 6), which
 * by that of independent trials is the design effect (section 8.2); with trials that are all alike within a group,
 * (sum of sizes)² / sum of squared sizes is left.
 */
export function effectiveTrials(sums: Grouped): number {
  const { groups, trials, hits, trialsSquared, hitsSquared, products } = sums;
  if (trials === 0) return 0;
  const share = hits / trials;
  const alone = (share * (1 - share)) / trials;
  if (groups < enoughGroups || alone <= 0) return (trials * trials) / trialsSquared;
  const residuals = hitsSquared - 2 * share * products + share * share * trialsSquared;
  const variance = ((groups / (groups - 1)) * residuals) / (trials * trials);
  return trials / Math.max(1, variance / alone);
}
