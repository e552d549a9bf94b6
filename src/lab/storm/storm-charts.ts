import type { Chart } from '../../pages/page.js';
import { outageOf } from './scenario.js';
import type { Storm, StormRun } from './storm.js';
import type { StrategyName } from './strategies/named.js';
import type { Second, Totals } from './tally.js';

/** Lines that a plot shows at most, and those that are told apart best by what they do. */
const mostLines = 4;
const preferred: readonly StrategyName[] = ['none', 'full', 'bounded', 'breaker'];
/** Points of a line at most. */
const mostPoints = 60;

const label = { field: 'strategy', type: 'nominal', title: 'strategy' } as const;

/** Returns the plots of a storm: what each strategy came to, and how a few of them went over time. */
export function stormCharts(storm: Storm): readonly Chart[] {
  return [
    bars(storm, {
      title: 'Calls without an answer',
      axis: 'percent of calls',
      figure: ({ errorShare }) => errorShare * 100,
    }),
    bars(storm, {
      title: 'The time within which 99 % of calls end',
      axis: 'milliseconds',
      figure: ({ p99Ms }) => p99Ms,
    }),
    bars(storm, {
      title: 'Amplification of the load',
      axis: 'attempts for each call',
      figure: ({ amplification }) => amplification,
    }),
    overTime(storm, {
      title: 'Load of the downstream over time',
      axis: 'attempts a second',
      figure: ({ attempts }) => attempts,
    }),
    overTime(storm, {
      title: 'Answers over time',
      axis: 'answers a second',
      figure: ({ answered }) => answered,
    }),
    overTime(storm, {
      title: 'Calls without an answer over time',
      axis: 'errors a second',
      figure: ({ failed }) => failed,
    }),
    overTime(storm, {
      title: 'The time within which 99 % of calls end, over time',
      axis: 'milliseconds',
      figure: ({ p99Ms }) => p99Ms,
    }),
  ];
}

type Bars = {
  readonly title: string;
  readonly axis: string;
  readonly figure: (totals: Totals) => number;
};

function bars({ runs }: Storm, { title, axis, figure }: Bars): Chart {
  const values = runs.map(({ strategy, totals }) => ({ strategy, figure: round(figure(totals)) }));
  const told = values.map((value) => `${value.strategy} ${value.figure}`);
  return {
    title,
    description: `In ${axis}: ${told.join(', ')}.`,
    spec: {
      data: { values },
      mark: { type: 'bar' },
      encoding: {
        y: { ...label, sort: null },
        x: { field: 'figure', type: 'quantitative', title: axis },
      },
    },
  };
}

type Line = {
  readonly title: string;
  readonly axis: string;
  readonly figure: (second: Second) => number;
};

function overTime({ scenario, runs }: Storm, { title, axis, figure }: Line): Chart {
  const shown = shownRuns(runs);
  const longest = Math.max(...shown.map(({ seconds }) => seconds.length));
  const { surge } = scenario;
  const span = Math.max(
    Math.ceil(longest / mostPoints),
    surge.calls > 0 ? Math.ceil(surge.everySeconds) : 1,
  );
  const values = shown.flatMap(({ strategy, seconds }) =>
    // a last span that isn't whole would dip
    Array.from({ length: Math.floor(seconds.length / span) }, (_, index) => {
      const part = seconds.slice(index * span, (index + 1) * span);
      return { second: (index + 1) * span, strategy, figure: round(meanOf(part.map(figure))) };
    }),
  );
  const peaks = shown.map(({ strategy, seconds }) => {
    const peak = Math.max(
      ...values.filter((value) => value.strategy === strategy).map((value) => value.figure),
      0,
    );
    return `${strategy} has its peak at ${peak} and its mean at ${round(meanOf(seconds.map(figure)))}`;
  });
  const outage = outageOf(scenario);
  const during =
    outage === undefined ? '' : ` The outage is from second ${outage.from} to ${outage.to}.`;
  return {
    title,
    description: `In ${axis}: ${peaks.join('; ')}.${during}`,
    spec: {
      data: { values },
      mark: { type: 'line' },
      encoding: {
        x: { field: 'second', type: 'quantitative', title: 'second of the run' },
        y: { field: 'figure', type: 'quantitative', title: axis },
        color: label,
      },
    },
  };
}

/** More lines than a few can't be told apart: those that differ most in what they do, else the first ones. */
function shownRuns(runs: readonly StormRun[]): readonly StormRun[] {
  if (runs.length <= mostLines) return runs;
  const chosen = runs.filter(({ strategy }) => preferred.includes(strategy));
  return chosen.length > 1 ? chosen : runs.slice(0, mostLines);
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
