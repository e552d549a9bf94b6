/** Returns a share of one in percent, with three decimals. */
export function percentText(share: number): string {
  return `${(share * 100).toFixed(3)} %`;
}

/** Returns millionths of a currency unit as units, to the last millionth; `never` for Infinity. */
export function unitsText(micros: number): string {
  return Number.isFinite(micros) ? (micros / 1e6).toFixed(6) : 'never';
}

/** Returns a duration of milliseconds in the unit that suits its size. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

/** Returns a value as JSON takes it: Infinity as the text "Infinity". */
export function wireNumber(value: number): number | 'Infinity' {
  return value === Number.POSITIVE_INFINITY ? 'Infinity' : value;
}
