import type { ActivityFigures } from '../../history/audit/activity-figures.js';
import { type Finding, percentText, type Severity } from '../../history/audit/finding.js';
import { durationText } from '../figures.js';
import type { Paint, Style } from '../output.js';
import { printable } from '../printable.js';
import { type Column, renderFacts, renderTable, type TableOptions } from '../table.js';
import type { AuditResult } from './audit-result.js';

/** Returns an audit as text: what was read, the activities, and the findings. */
export function renderAudit(result: AuditResult, options: TableOptions): string {
  const { activities, findings } = result;
  const parts = [renderFacts(readFacts(result), options.paint)];
  if (activities.length > 0) parts.push(renderTable(columns, activities, options));
  if (result.runs === 0) return parts.join('\n\n');
  if (findings.length === 0) return [...parts, options.paint('green', 'No findings.')].join('\n\n');
  return [
    ...parts,
    ...findings.map((finding, index) => renderFinding(finding, index + 1, options.paint)),
  ].join('\n\n');
}

function readFacts(result: AuditResult): readonly (readonly [string, string])[] {
  const { runs, governedRuns, events, statuses, skipped, beyond, isDone } = result;
  const uncounted = result.activities.reduce((sum, activity) => sum + activity.uncounted, 0);
  const ends = Object.entries(statuses)
    .map(([status, count]) => `${count} ${status.replaceAll('-', ' ')}`)
    .join(', ');
  return [
    ['read', `${runs} runs with ${events} events, ${governedRuns} of them governed by holdfast`],
    ['runs', ends === '' ? 'none' : ends],
    ...(skipped > 0 ? [['left out', `${skipped} histories that could not be read`] as const] : []),
    ...(beyond > 0
      ? [['not told apart', `${beyond} calls and runs of further types`] as const]
      : []),
    ...(uncounted > 0
      ? [['not counted', `attempts of ${uncounted} calls that ended between two of them`] as const]
      : []),
    ...(isDone
      ? []
      : [['not finished', '--limit ended it; with --state <file> the next call goes on'] as const]),
  ];
}

/** Their widths and the gaps between them make 100 cells. */
const columns: readonly Column<ActivityFigures>[] = [
  { title: 'ACTIVITY', most: 26, text: ({ name }) => printable(name) },
  { title: 'CALLS', most: 8, text: ({ calls }) => String(calls) },
  {
    title: 'LOST',
    most: 6,
    text: ({ lost }) => String(lost),
    style: ({ lost }) => (lost === 0 ? 'green' : 'red'),
  },
  { title: 'FAILURE RATE OF AN ATTEMPT', most: 26, text: (figures) => rateText(figures) },
  {
    title: 'ATTEMPTS/CALL',
    most: 13,
    text: (figures) => amplificationText(figures),
  },
  { title: 'P50', most: 6, text: ({ p50Ms }) => timeText(p50Ms) },
  { title: 'P95', most: 6, text: ({ p95Ms }) => timeText(p95Ms) },
];

/** Returns how many attempts a call took, with a plus where a history doesn't tell all of them. */
export function amplificationText({
  amplification,
  uncounted,
}: Pick<ActivityFigures, 'amplification' | 'uncounted'>): string {
  return amplification === null ? '' : `${amplification.toFixed(2)}${uncounted > 0 ? '+' : ''}`;
}

/** Returns a failure rate with its interval, or nothing where no attempt has ended. */
export function rateText({ failureRate, failureInterval }: ActivityFigures): string {
  if (failureRate === null) return '';
  const { low, high } = failureInterval;
  return `${percentText(failureRate)} (${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)})`;
}

/** Returns a duration, or nothing where none was measured. */
export function timeText(ms: number | null): string {
  return ms === null ? '' : durationText(ms);
}

const styles: Readonly<Record<Severity, Style>> = { high: 'red', medium: 'yellow', low: 'dim' };

function renderFinding(finding: Finding, number: number, paint: Paint): string {
  const { severity, kind, subject, what, setting, examples } = finding;
  const seen = examples.length === 0 ? [] : [`   seen in: ${examples.map(printable).join(', ')}`];
  return [
    `${number}. ${paint(styles[severity], severity)} ${paint('bold', `${kind.replaceAll('-', ' ')}: ${printable(subject)}`)}`,
    `   ${printable(what)}`,
    `   change: ${printable(setting)}`,
    ...seen,
  ].join('\n');
}
