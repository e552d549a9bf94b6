/** A figure of a study beside what the simulation here gives for it. */
export type Figure = {
  readonly name: string;
  readonly unit: 'ms' | 'calls' | '%' | 'times' | 'per second' | 'retries';
  /** The study's figure, or the middle of the range that it states; undefined where the study has none. */
  readonly published?: number;
  readonly mean: number;
  /** The standard deviation of one run. */
  readonly deviation: number;
  readonly runs: number;
  readonly verdict: Verdict;
};

/**
 * How the two stand to one another: at most 5 % apart, or no further apart than the runs of both sides are by chance
 * (two standard deviations of the difference), or further. `ours` is a strategy that the study doesn't have.
 */
export type Verdict = 'within-5-percent' | 'within-noise' | 'apart' | 'ours';

/** A published study, run again. */
export type Study = {
  readonly name: string;
  readonly title: string;
  /** Where the study's program is to be read. */
  readonly source: string;
  /** What was run, on both sides. */
  readonly setting: string;
  readonly figures: readonly Figure[];
};

/** How a study is run. */
export type StudyOptions = {
  readonly seed: number;
  /** Runs that are averaged, each with a seed of its own; undefined means as many as the study's figures ask for. */
  readonly runs?: number | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
};

/** Returns a figure with its verdict; the study's own figure is the mean of `publishedRuns`. */
export function figureOf(
  figure: Pick<Figure, 'name' | 'unit'> & {
    readonly values: readonly number[];
    readonly published?: number;
    readonly publishedRuns: number;
    /** What the study has rounded its figure by at most. @default 0 */
    readonly rounding?: number;
  },
): Figure {
  const { name, unit, values, published, publishedRuns, rounding = 0 } = figure;
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1));
  const common = { name, unit, mean, deviation, runs: values.length };
  if (published === undefined) return { ...common, verdict: 'ours' };
  const noise = 2 * deviation * Math.sqrt(1 / values.length + 1 / publishedRuns);
  const apart = Math.max(0, Math.abs(mean - published) - rounding);
  return { ...common, published, verdict: verdictOf(apart, published, noise) };
}

/** Returns the mean of values; NaN of none. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function verdictOf(apart: number, published: number, noise: number): Verdict {
  if (apart <= Math.abs(published) * 0.05) return 'within-5-percent';
  return apart <= noise ? 'within-noise' : 'apart';
}
