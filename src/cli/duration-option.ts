import { InvalidArgumentError } from 'commander';

const unitsMs = { ms: 1, s: 1_000, m: 60_000 } as const;

/** Returns a reader of a duration such as `500ms`, `20s` or `2m`, in milliseconds, both bounds included. */
export function duration(range: {
  readonly leastMs: number;
  readonly mostMs: number;
}): (text: string) => number {
  const { leastMs, mostMs } = range;
  return (text) => {
    const [, digits, unit] = /^(\d{1,9})(ms|s|m)$/.exec(text) ?? [];
    const valueMs =
      digits === undefined ? Number.NaN : Number(digits) * unitsMs[unit as keyof typeof unitsMs]; // the pattern has these units
    if (valueMs >= leastMs && valueMs <= mostMs) return valueMs;
    throw new InvalidArgumentError(
      `It must be a duration such as 20s or 2m, from ${leastMs} to ${mostMs} ms.`,
    );
  };
}
