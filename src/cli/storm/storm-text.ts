import type { Figure, Study } from '../../lab/storm/published/figure.js';
import { digits, verdictText } from '../../lab/storm/published/study-page.js';
import type { Storm, StormRun } from '../../lab/storm/storm.js';
import { recoveryText, scenarioText } from '../../lab/storm/storm-page.js';
import { type Paint, paint } from '../output.js';
import { type Column, renderTable } from '../table.js';

/** Returns a storm as text: what was simulated, and a line for each strategy. */
export function renderStorm({ scenario, runs }: Storm): string {
  return [
    renderTable(stormColumns, runs, { paint, isWide: true }),
    '',
    paint('dim', scenarioText(scenario)),
  ].join('\n');
}

/** Returns a study as text: a line for each figure, beside the published one. */
export function renderStudy({ title, setting, source, figures }: Study, style: Paint): string {
  return [
    style('bold', title),
    style('dim', `${setting} Source: ${source}.`),
    renderTable(figureColumns, figures, { paint: style, isWide: true }),
    '',
  ].join('\n');
}

const most = 80; // nothing is cut: all texts are this program's own

const stormColumns: readonly Column<StormRun>[] = [
  { title: 'STRATEGY', most, text: ({ strategy }) => strategy },
  {
    title: 'ERRORS',
    most,
    isNumber: true,
    text: ({ totals }) => `${(totals.errorShare * 100).toFixed(1)} %`,
  },
  { title: 'P50 MS', most, isNumber: true, text: ({ totals }) => totals.p50Ms.toFixed(0) },
  { title: 'P99 MS', most, isNumber: true, text: ({ totals }) => totals.p99Ms.toFixed(0) },
  {
    title: 'ATTEMPTS/CALL',
    most,
    isNumber: true,
    text: ({ totals }) => totals.amplification.toFixed(2),
  },
  { title: 'PEAK/S', most, isNumber: true, text: ({ peakPerSecond }) => String(peakPerSecond) },
  {
    title: 'REJECTED',
    most,
    isNumber: true,
    text: ({ totals }) => String(totals.errors.rejected),
  },
  {
    title: 'RECOVERS',
    most,
    isNumber: true,
    text: ({ recovery }) => recoveryText(recovery),
    style: ({ recovery }) => (recovery.kind === 'collapsed' ? 'red' : 'dim'),
  },
];

const figureColumns: readonly Column<Figure>[] = [
  { title: 'FIGURE', most, text: ({ name, unit }) => `${name} (${unit})` },
  {
    title: 'PUBLISHED',
    most,
    isNumber: true,
    text: ({ published }) => (published === undefined ? '-' : digits(published)),
  },
  { title: 'HERE', most, isNumber: true, text: ({ mean }) => digits(mean) },
  { title: '+/-', most, isNumber: true, text: ({ deviation }) => digits(deviation) },
  { title: 'RUNS', most, isNumber: true, text: ({ runs }) => String(runs) },
  {
    title: 'COMES OUT',
    most,
    text: verdictText,
    style: ({ verdict }) => (verdict === 'apart' ? 'red' : verdict === 'ours' ? 'dim' : 'green'),
  },
];
