/** What several rounds of one measurement say. */
export type Spread = {
  readonly median: number;
  /** The quartiles: half of the rounds lie between them. */
  readonly low: number;
  readonly high: number;
  readonly rounds: number;
};

/** Returns median and quartiles of a measurement's rounds, by linear interpolation; NaN of none. */
export function spreadOf(rounds: readonly number[]): Spread {
  const sorted = rounds.toSorted((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    rounds: sorted.length,
  };
}

/** Returns the ratio of two measurements, round by round: what disturbs a round disturbs both. */
export function ratioOf(rounds: readonly number[], base: readonly number[]): Spread {
  return spreadOf(rounds.map((value, round) => value / (base[round] ?? Number.NaN)));
}

/** Returns the list turned by one place for each round, so that nobody is always first. */
export function turned<T>(list: readonly T[], round: number): readonly T[] {
  const at = round % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

/** Returns the value below which a share of them lies, by linear interpolation; NaN of none. */
export function quantileOf(values: readonly number[], share: number): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    share,
  );
}

function quantile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}
