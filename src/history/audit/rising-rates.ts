/** How often something failed, of how often it was tried. */
export type Trials = { readonly made: number; readonly failed: number };

type Pool = Trials & { readonly places: number };

/**
 * Returns a failure rate for each of the trials, none lower than the one before: those that fall are pooled
 * with their neighbours, which gives the rates that fit the counts best.
 * Source: R. E. Barlow, D. J. Bartholomew, J. M. Bremner, H. D. Brunk, "Statistical Inference under Order
 * Restrictions" (1972), section 1.2: the pool-adjacent-violators algorithm.
 */
export function risingRates(trials: readonly Trials[]): readonly number[] {
  const pools: Pool[] = [];
  for (const trial of trials) {
    let pool: Pool = { ...trial, places: 1 };
    for (let last = pools.at(-1); last && falls(last, pool); last = pools.at(-1)) {
      pools.pop();
      pool = {
        made: last.made + pool.made,
        failed: last.failed + pool.failed,
        places: last.places + pool.places,
      };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ places, ...pool }) => Array<number>(places).fill(failureRateOf(pool)));
}

/** Returns a rate in [0, 1): what always failed may still succeed for once, half a trial in all of them. */
export function failureRateOf({ made, failed }: Trials): number {
  if (made === 0) return 0;
  const rate = failed === made ? 1 - 1 / (2 * made) : failed / made;
  return Math.min(0.999999, Math.round(rate * 1e6) / 1e6);
}

function falls(one: Trials, next: Trials): boolean {
  return next.failed * one.made < one.failed * next.made;
}
