const scales = { 4: 1e4, 6: 1e6, 8: 1e8 } as const;

/**
 * Returns `Number(value.toFixed(decimals))`, the contract's rounding, and never -0. Most values take
 * a short way that is several times faster: away from a tie the scaled value rounds to the same
 * integer as the exact decimals do, and a quotient of two exact integers is the nearest number
 * to the decimals. Near a tie, and where scaling could lose digits, the decimals decide.
 */
export function toDecimals(value: number, decimals: keyof typeof scales): number {
  const scale = scales[decimals];
  const scaled = value * scale;
  const nearest = Math.round(scaled);
  const isClear = Math.abs(scaled - nearest) < 0.499 && Math.abs(scaled) < 1e11;
  return (isClear ? nearest / scale : Number(value.toFixed(decimals))) + 0;
}

/** Returns the nearest integer (halves go up), and never -0. */
export function toInteger(value: number): number {
  return Math.round(value) + 0;
}
