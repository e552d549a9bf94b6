import { InvalidArgumentError } from 'commander';

/** Returns a reader of an option's value: a whole number in a range. */
export function wholeNumber(range: {
  readonly least: number;
  readonly most: number;
}): (text: string) => number {
  const { least, most } = range;
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}
