import { type DrillPlan, drillFacts, mostConcurrent } from './drill-plan.js';
import type { SideTotals } from './measure.js';

/** A bound of the drill, and whether a side kept it. */
export type Verdict = {
  readonly name: VerdictName;
  /** `unjudged` where too little was seen for a word on it. */
  readonly kind: 'pass' | 'fail' | 'unjudged';
  /** What was measured, and what it is held against. */
  readonly figure: string;
};

/** The bounds in the order in which they are shown. */
export type VerdictName =
  | 'the breaker trips'
  | 'users are answered'
  | 'no effect is doubled'
  | 'no effect is lost'
  | 'the downstream is spared'
  | 'no sawtooth'
  | 'connections stay bounded';

/** The bounds that a drill judges by. */
export const bounds = {
  breakerTripMs: 15_000,
  load: 1.12,
  /** Calls in the window below which a retry budget isn't enforced. */
  samples: 100,
  waves: 1,
  /** A ticket takes a quarter of a second on a quiet machine: one that needs longer than this is overloaded. */
  calmP95Ms: 2_000,
} as const;

/**
 * Judges what a side came to. How quick the machine is in calm the quicker side tells: a side that is slow by itself
 * has no excuse.
 */
export function judge(
  plan: DrillPlan,
  totals: SideTotals,
  calmP95Ms: number | null = totals.calmP95Ms,
): readonly Verdict[] {
  const { doubledEffects, effects, lostEffects } = totals;
  return [
    inTime(calmP95Ms, trips(plan, totals)),
    inTime(calmP95Ms, answers(totals)),
    {
      name: 'no effect is doubled',
      kind: effects === 0 ? 'unjudged' : passes(doubledEffects === 0),
      figure: `${doubledEffects} of ${effects} refunds came again`,
    },
    {
      name: 'no effect is lost',
      kind: effects + lostEffects === 0 ? 'unjudged' : passes(lostEffects === 0),
      figure: `${lostEffects} refunds were told of and did not happen`,
    },
    spares(totals),
    inTime(calmP95Ms, {
      name: 'no sawtooth',
      kind: passes(totals.waves <= bounds.waves),
      figure:
        `${totals.waves} waves above the calls of calm (at most ${bounds.waves}); ` +
        `peak / mean ${totals.peakCallsPerSecond} / ${totals.meanCallsPerSecond} = ${totals.peakToMean}`,
    }),
    staysBounded(plan, totals),
  ];
}

/** What is late on a machine that can't carry the load in peace says nothing about faults. */
function inTime(calmP95Ms: number | null, verdict: Verdict): Verdict {
  if (verdict.kind !== 'fail' || calmP95Ms === null || calmP95Ms <= bounds.calmP95Ms)
    return verdict;
  const because = `in calm 95 % of the tickets took up to ${(calmP95Ms / 1_000).toFixed(1)} s`;
  const figure = `${verdict.figure}; ${because}: this machine is too slow for the rate`;
  return { ...verdict, kind: 'unjudged', figure };
}

function answers({ ends }: SideTotals): Verdict {
  const isFailed = ends.hung + ends.failed > 0 || ends.ok === 0; // in peace everybody can be answered in full
  return {
    name: 'users are answered',
    kind: isFailed ? 'fail' : ends.degraded > 0 ? 'pass' : 'unjudged',
    figure:
      `${ends.degraded} degraded and ${ends.ok} full answers, ${ends.failed} failed, ` +
      `${ends.hung} hung (no answer in ${drillFacts.patienceMs / 1_000} s)`,
  };
}

function trips(plan: DrillPlan, { breakerTripMs }: SideTotals): Verdict {
  const name = 'the breaker trips';
  const withinS = bounds.breakerTripMs / 1_000;
  if (breakerTripMs === null) {
    const isShort = plan.faultMs < bounds.breakerTripMs;
    const figure = isShort
      ? `it did not, in a fault shorter than ${withinS} s`
      : `never; the bound is ${withinS} s after the first fault`;
    return { name, kind: isShort ? 'unjudged' : 'fail', figure };
  }
  return {
    name,
    kind: passes(breakerTripMs <= bounds.breakerTripMs),
    figure: `${(breakerTripMs / 1_000).toFixed(1)} s after the first fault; the bound is ${withinS} s`,
  };
}

function spares({ loadInFault, samplesBeforeFault: samples }: SideTotals): Verdict {
  const name = 'the downstream is spared';
  if (samples < bounds.samples || loadInFault === null) {
    const figure = `only ${samples} calls in the 10 s before the fault; ${bounds.samples} are needed`;
    return { name, kind: 'unjudged', figure };
  }
  if (loadInFault === 0) {
    return { name, kind: 'unjudged', figure: 'tickets of the fault sent nothing at all' };
  }
  return {
    name,
    kind: passes(loadInFault <= bounds.load),
    figure: `tickets of the fault sent ${loadInFault.toFixed(2)} times their calls in peace; the bound is ${bounds.load}`,
  };
}

function staysBounded(plan: DrillPlan, { inFlightPeak }: SideTotals): Verdict {
  const name = 'connections stay bounded';
  if (plan.networkFaults) {
    const figure = 'Toxiproxy holds what is in flight, and the downstream does not see it';
    return { name, kind: 'unjudged', figure };
  }
  const bound = mostConcurrent(plan);
  return {
    name,
    kind: passes(inFlightPeak <= bound),
    figure: `${inFlightPeak} in flight at most; the bound is ${bound}`,
  };
}

function passes(holds: boolean): 'pass' | 'fail' {
  return holds ? 'pass' : 'fail';
}
