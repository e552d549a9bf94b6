import type { DrillPlan } from './drill-plan.js';
import type { BreakerChange, SideId, SideRecords } from './drill-records.js';
import { figuresBySecond, type SecondFigures, type SideTotals, totalsOf } from './measure.js';
import { judge, type Verdict } from './verdicts.js';

/** What one side of a drill came to. */
export type SideResult = {
  readonly id: SideId;
  readonly totals: SideTotals;
  readonly verdicts: readonly Verdict[];
  readonly breaker: readonly BreakerChange[];
  readonly seconds: readonly SecondFigures[];
};

/** What a drill came to, as `--json` prints it. */
export type DrillResult = {
  readonly plan: DrillPlan;
  /** Whether holdfast's side failed no verdict. */
  readonly passed: boolean;
  readonly sides: readonly SideResult[];
};

/** Returns the figures and verdicts of a drill from what was seen. */
export function drillResult(plan: DrillPlan, records: readonly SideRecords[]): DrillResult {
  const measured = records.map((side) => {
    const seconds = figuresBySecond(plan, side);
    return { side, seconds, totals: totalsOf(plan, side, seconds) };
  });
  const calm = measured.flatMap(({ totals }) => totals.calmP95Ms ?? []);
  const calmP95Ms = calm.length === 0 ? null : Math.min(...calm);
  const sides = measured.map(({ side: { id, breaker }, seconds, totals }): SideResult => {
    return { id, totals, verdicts: judge(plan, totals, calmP95Ms), breaker, seconds };
  });
  const own = sides.find(({ id }) => id === 'holdfast')?.verdicts ?? [];
  return { plan, passed: own.every(({ kind }) => kind !== 'fail'), sides };
}
