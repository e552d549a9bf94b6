import type { Chart } from '../../pages/page.js';
import { seriesColours } from '../../pages/palette.js';
import { type DrillPlan, wholeMs } from './drill-plan.js';
import type { TicketEnd } from './drill-records.js';
import type { DrillResult, SideResult } from './drill-result.js';
import { seconds as asSeconds, sideTitles } from './drill-rows.js';
import type { SecondFigures } from './measure.js';

/** Points of a line at most: a longer drill gets wider bins. */
const mostBins = 60;

type Bin = { readonly second: number; readonly seconds: readonly SecondFigures[] };
type Point = Readonly<Record<string, string | number>>;

/** Returns the plots of a drill, both sides in each of them. */
export function drillCharts({ plan, sides }: DrillResult): readonly Chart[] {
  const binSeconds = Math.max(1, Math.ceil(wholeMs(plan) / 1_000 / mostBins));
  const lines = (read: (bin: Bin) => number | null): readonly Point[] =>
    sides.flatMap((side) =>
      bins(side, binSeconds).flatMap((bin) => {
        const value = read(bin);
        return value === null ? [] : [{ second: bin.second, side: sideTitles[side.id], value }];
      }),
    );
  const perSecond =
    (read: (second: SecondFigures) => number) =>
    ({ seconds }: Bin): number =>
      Number((sumOf(seconds, read) / seconds.length).toFixed(2));
  const each = (say: (side: SideResult) => string): string =>
    sides.map((side) => `${sideTitles[side.id]}: ${say(side)}`).join('; ');
  const line = (chart: Omit<Chart, 'spec'>, unit: string, points: readonly Point[]): Chart => ({
    ...chart,
    description: `${chart.description}. ${phasesOf(plan)}`,
    spec: lineSpec(plan, unit, points),
  });
  return [
    line(
      {
        title: 'Calls per second at the downstream',
        description: each(
          ({ totals }) =>
            `peak ${totals.peakCallsPerSecond}, mean ${totals.meanCallsPerSecond}, peak / mean ${totals.peakToMean}`,
        ),
      },
      'Calls per second',
      lines(perSecond(({ calls }) => calls)),
    ),
    line(
      {
        title: 'Connections in flight at the downstream',
        description: each(({ totals }) => `at most ${totals.inFlightPeak}`),
      },
      'Connections',
      lines(({ seconds }) => Math.max(...seconds.map(({ inFlight }) => inFlight))),
    ),
    endsChart(sides, binSeconds),
    line(
      {
        title: 'Time to the answer by the ticket’s arrival, 95th percentile',
        description: each(({ totals }) => `${asSeconds(totals.p95Ms)} over all tickets`),
      },
      'Seconds to the answer',
      lines(({ seconds }) => worstLatency(seconds)),
    ),
    line(
      {
        title: 'Retries per second at the downstream',
        description: each(({ totals }) => `${totals.retries} of ${totals.calls} calls`),
      },
      'Retries per second',
      lines(perSecond(({ retries }) => retries)),
    ),
    breakerChart({ plan, sides }, each),
    line(
      {
        title: 'Wasted tokens so far',
        description: each(
          ({ totals }) => `${totals.tokensUseful} useful and ${totals.tokensWasted} wasted`,
        ),
      },
      'Tokens wasted',
      summed(lines(({ seconds }) => sumOf(seconds, (one) => one.tokensWasted))),
    ),
    line(
      {
        title: 'Useful tokens so far',
        description: each(({ totals }) => `${totals.tokensUseful}`),
      },
      'Tokens useful',
      summed(lines(({ seconds }) => sumOf(seconds, (one) => one.tokensUseful))),
    ),
  ];
}

function bins({ seconds }: SideResult, binSeconds: number): readonly Bin[] {
  return Array.from({ length: Math.ceil(seconds.length / binSeconds) }, (_, bin) => ({
    second: bin * binSeconds,
    seconds: seconds.slice(bin * binSeconds, (bin + 1) * binSeconds),
  }));
}

function lineSpec(plan: DrillPlan, unit: string, values: readonly Point[]): Chart['spec'] {
  return {
    layer: [
      {
        data: { values: [...values] },
        mark: 'line',
        encoding: {
          x: secondAxis,
          y: { field: 'value', type: 'quantitative', title: unit },
          color: { field: 'side', type: 'nominal', title: null },
        },
      },
      phaseRules(plan),
    ],
  };
}

const secondAxis = { field: 'second', type: 'quantitative', title: 'Seconds' } as const;

/** The fault's begin and end. */
function phaseRules({ calmMs, faultMs }: DrillPlan) {
  const values = [calmMs, calmMs + faultMs].map((ms) => ({ second: ms / 1_000 }));
  return {
    data: { values },
    mark: { type: 'rule' as const, strokeDash: [2, 3] },
    encoding: { x: secondAxis },
  };
}

const endTitles: Readonly<Record<TicketEnd, string>> = {
  ok: '1 in full',
  degraded: '2 degraded',
  failed: '3 failed',
  hung: '4 hung',
};

/** All of them in each drill, so that an end has one colour, and none is that of another drill's failures. */
const endScale = {
  domain: Object.values(endTitles),
  range: [2, 0, 6, 1].flatMap((index) => seriesColours[index]?.light ?? []),
};

function endsChart(sides: readonly SideResult[], binSeconds: number): Chart {
  const kinds: readonly TicketEnd[] = ['ok', 'degraded', 'failed', 'hung'];
  const width = Math.max(2, binSeconds);
  const values = sides.flatMap((side) =>
    bins(side, width).flatMap(({ second, seconds }) =>
      kinds.map((kind) => ({
        second,
        side: sideTitles[side.id],
        end: endTitles[kind],
        tickets: sumOf(seconds, ({ ends }) => ends[kind]),
      })),
    ),
  );
  const said = sides.map(({ id, totals: { ends } }) => {
    const parts = kinds.map((kind) => `${ends[kind]} ${endTitles[kind].slice(2)}`);
    return `${sideTitles[id]}: ${parts.join(', ')}`;
  });
  return {
    title: 'How tickets ended, by their arrival',
    description: `${said.join('; ')}.`,
    spec: {
      data: { values: values.filter(({ tickets }) => tickets > 0) },
      mark: { type: 'bar' },
      encoding: {
        x: { ...secondAxis, bin: { step: width } },
        y: { aggregate: 'sum', field: 'tickets', type: 'quantitative', title: 'Tickets' },
        color: { field: 'end', type: 'nominal', title: null, scale: endScale },
        facet: { field: 'side', type: 'nominal', title: null },
      },
    },
  };
}

function breakerChart(
  { plan, sides }: Pick<DrillResult, 'plan' | 'sides'>,
  each: (say: (side: SideResult) => string) => string,
): Chart {
  const values = sides.flatMap(({ id, seconds }) =>
    seconds.map(({ second, isBreakerOpen }) => ({
      second,
      side: sideTitles[id],
      value: isBreakerOpen ? 1 : 0,
    })),
  );
  return {
    title: 'Breaker of the worker',
    description: each(({ id, totals }) =>
      id === 'plain'
        ? 'there is none'
        : totals.breakerTripMs === null
          ? 'it stayed closed'
          : `first open ${asSeconds(totals.breakerTripMs)} after the fault began`,
    ),
    spec: {
      layer: [
        {
          data: { values },
          mark: { type: 'line', interpolate: 'step-after' },
          encoding: {
            x: secondAxis,
            y: {
              field: 'value',
              type: 'quantitative',
              title: 'Breaker',
              scale: { domain: [0, 1] },
              axis: { values: [0, 1], labelExpr: "datum.value === 1 ? 'open' : 'closed'" },
            },
            color: { field: 'side', type: 'nominal', title: null },
          },
        },
        phaseRules(plan),
      ],
    },
  };
}

function phasesOf({ calmMs, faultMs }: DrillPlan): string {
  return `The fault lasts from second ${calmMs / 1_000} to ${(calmMs + faultMs) / 1_000}.`;
}

/** Turns the values of each side into their sums so far. */
function summed(points: readonly Point[]): readonly Point[] {
  const sums = new Map<unknown, number>();
  return points.map((point) => {
    const value = (sums.get(point.side) ?? 0) + Number(point.value);
    sums.set(point.side, value);
    return { ...point, value };
  });
}

function worstLatency(seconds: readonly SecondFigures[]): number | null {
  const known = seconds.flatMap(({ p95Ms }) => (p95Ms === null ? [] : [p95Ms]));
  return known.length === 0 ? null : Number((Math.max(...known) / 1_000).toFixed(2));
}

function sumOf<Item>(items: readonly Item[], read: (item: Item) => number): number {
  return items.reduce((total, item) => total + read(item), 0);
}
