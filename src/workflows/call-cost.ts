import type { Sums } from '../contract/call-header.js';
import type { Cost } from '../contract/outcome.js';
import type { RunCost } from '../contract/run-state.js';

/** Returns what a call cost: the attempt that helped, and those that failed; undefined where all were free. */
export function callCost(
  { costWasted = 0, unpriced = 0 }: Sums,
  useful: number | null,
): Cost | undefined {
  const unpricedAttempts = unpriced + (useful === null ? 1 : 0);
  if (useful === 0 && costWasted === 0 && unpricedAttempts === 0) return undefined;
  const wasted = unpriced === 0 ? costWasted : null;
  return { useful, wasted, ...(unpricedAttempts === 0 ? {} : { unpricedAttempts }) };
}

/** Returns what a run cost after one more call: what isn't known is counted, not taken for nothing. */
export function plusCost(run: RunCost | undefined, cost: Cost): RunCost {
  const { usefulMicros = 0, wastedMicros = 0, unpricedAttempts = 0 } = run ?? {};
  return {
    usefulMicros: usefulMicros + (cost.useful ?? 0),
    wastedMicros: wastedMicros + (cost.wasted ?? 0),
    unpricedAttempts: unpricedAttempts + (cost.unpricedAttempts ?? 0),
  };
}
