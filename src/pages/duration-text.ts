const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
] as const;

/** Returns a duration in words of two units at most: `350 ms`, `1.25 s`, `3 min 20 s`, `2 d 4 h`. */
export function durationText(durationMs: number): string {
  if (durationMs === 0) return '0 s';
  if (durationMs < 0) return `-${durationText(-durationMs)}`;
  if (durationMs < 999.5) return `${Math.round(durationMs)} ms`;
  if (durationMs < 59_995) return `${Number((durationMs / 1_000).toPrecision(3))} s`;
  const roundedMs = 1_000 * Math.round(durationMs / 1_000);
  const first = units.findIndex(({ ms }) => roundedMs >= ms);
  const unit = units[first];
  if (unit === undefined) return `${roundedMs / 1_000} s`;
  const next = units[first + 1] ?? { name: 's', ms: 1_000 };
  const whole = Math.floor(roundedMs / unit.ms);
  const rest = Math.floor((roundedMs - whole * unit.ms) / next.ms);
  return rest === 0 ? `${whole} ${unit.name}` : `${whole} ${unit.name} ${rest} ${next.name}`;
}

/** Returns the step between marks of an axis: a round duration of which about five fill the whole. */
export function axisStepMs(wholeMs: number): number {
  const atLeastMs = wholeMs / 6;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, atLeastMs)));
  const decimal = [1, 2, 5, 10].map((digit) => digit * power);
  const round = atLeastMs <= 10_000 || atLeastMs > 604_800_000 ? decimal : clockStepsMs;
  return round.find((stepMs) => stepMs >= atLeastMs) ?? atLeastMs;
}

const clockStepsMs = [
  ...[10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200],
  ...[86_400, 172_800, 345_600, 604_800],
].map((seconds) => 1_000 * seconds);
