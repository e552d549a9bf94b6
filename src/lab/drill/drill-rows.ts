import type { SideId } from './drill-records.js';
import type { SideResult } from './drill-result.js';
import type { SideTotals } from './measure.js';

/** What the sides are called in tables and plots. */
export const sideTitles: Readonly<Record<SideId, string>> = {
  holdfast: 'holdfast',
  plain: 'default policy',
};

/** A figure of each side. */
export type DrillRow = { readonly name: string; readonly values: readonly string[] };

/** Returns the figures that are shown side by side. */
export function drillRows(sides: readonly SideResult[]): readonly DrillRow[] {
  const row = (name: string, read: (totals: SideTotals) => string): DrillRow => ({
    name,
    values: sides.map(({ totals }) => read(totals)),
  });
  return [
    row('tickets', ({ tickets }) => String(tickets)),
    row('  answered in full', ({ ends, tickets }) => counted(ends.ok, tickets)),
    row('  degraded', ({ ends, tickets }) => counted(ends.degraded, tickets)),
    row('  failed', ({ ends, tickets }) => counted(ends.failed, tickets)),
    row('  hung', ({ ends, tickets }) => counted(ends.hung, tickets)),
    row('latency p50 / p95', ({ p50Ms, p95Ms }) => `${seconds(p50Ms)} / ${seconds(p95Ms)}`),
    row('calls at the downstream', ({ calls }) => String(calls)),
    row('  of them retries', ({ retries, calls }) => counted(retries, calls)),
    row('  of tickets of the fault / in peace', ({ loadInFault }) =>
      loadInFault === null ? '-' : loadInFault.toFixed(2),
    ),
    row(
      'calls a second, peak / mean',
      (totals) =>
        `${totals.peakCallsPerSecond} / ${totals.meanCallsPerSecond.toFixed(1)} = ${totals.peakToMean.toFixed(1)}`,
    ),
    row('connections in flight, peak', ({ inFlightPeak }) => String(inFlightPeak)),
    row('first breaker trip after', ({ breakerTripMs }) => seconds(breakerTripMs)),
    row('refunds paid', ({ effects }) => String(effects)),
    row('  doubled', ({ doubledEffects }) => String(doubledEffects)),
    row('  told of but lost', ({ lostEffects }) => String(lostEffects)),
    row('  paid but not told of', ({ untoldEffects }) => String(untoldEffects)),
    row('tokens useful / wasted', (totals) => `${totals.tokensUseful} / ${totals.tokensWasted}`),
  ];
}

/** Returns milliseconds as seconds; a dash where there are none. */
export function seconds(ms: number | null): string {
  return ms === null ? '-' : `${(ms / 1_000).toFixed(1)} s`;
}

function counted(part: number, whole: number): string {
  return whole === 0 ? '0' : `${part} (${((100 * part) / whole).toFixed(0)} %)`;
}
