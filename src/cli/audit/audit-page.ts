import type { ActivityFigures } from '../../history/audit/activity-figures.js';
import { type Finding, percentText } from '../../history/audit/finding.js';
import { durationText } from '../../pages/duration-text.js';
import type { Chart, Page, PageTable, Tone } from '../../pages/page.js';
import type { AuditResult } from './audit-result.js';
import { amplificationText } from './audit-text.js';

/** What the page of an audit shows, and the command that makes it again. */
export type AuditShown = Pick<AuditResult, 'source' | 'runs'> &
  Partial<Pick<AuditResult, 'isDone' | 'skipped' | 'beyond'>> & {
    readonly findings: readonly ShownFinding[];
    readonly activities: readonly ShownActivity[];
    readonly command: string;
  };

type ShownFinding = Pick<Finding, 'severity' | 'subject' | 'what' | 'setting' | 'examples'>;
type ShownActivity = Omit<ActivityFigures, 'failed' | 'retries' | 'meanMs' | 'attemptCostMicros'>;

/** Rows of the tables and points of the chart at most. */
const mostRows = 1_000;
const mostPoints = 20;

/** Returns the page of an audit: its findings with the settings to change, then what each activity does. */
export function auditPage(shown: AuditShown): Page {
  const { source, runs, findings, activities, command } = shown;
  const measured = activities.filter(({ attempts }) => attempts > 0);
  return {
    title: `Audit of ${source}`,
    lead: [foundText(shown), ...unreadTexts(shown)].join(' '),
    command,
    sections: [
      {
        title: 'Findings',
        blocks:
          findings.length === 0
            ? [{ kind: 'text', text: nothingText(runs) }]
            : [{ kind: 'table', table: findingTable(findings) }],
      },
      ...(measured.length === 0
        ? []
        : [
            {
              title: 'Failures',
              blocks: [{ kind: 'chart', chart: failureChart(measured) } as const],
            },
          ]),
      {
        title: 'Activities',
        blocks: [{ kind: 'table', table: activityTable(activities) }],
      },
    ],
  };
}

function foundText({ runs, findings }: AuditShown): string {
  const high = findings.filter(({ severity }) => severity === 'high').length;
  const read = `${runs.toLocaleString('en-US')} runs`;
  if (findings.length === 0) return `Nothing was found in ${read}.`;
  const found = findings.length === 1 ? 'finding' : 'findings';
  return `${findings.length} ${found}, ${high} of them high, in ${read}.`;
}

/** What a reader has to know before taking silence for health. */
function unreadTexts({ isDone = true, skipped = 0, beyond = 0 }: AuditShown): readonly string[] {
  return [
    ...(isDone ? [] : ['A limit ended it: there are more runs.']),
    ...(skipped > 0 ? [`${skipped} histories could not be read.`] : []),
    ...(beyond > 0 ? [`${beyond} calls and runs of further types are not told apart.`] : []),
  ];
}

function nothingText(runs: number): string {
  return runs === 0
    ? 'No run was read, so nothing is known.'
    : 'No setting has to be changed for what these runs show.';
}

const severityTones: Readonly<Record<ShownFinding['severity'], Tone>> = {
  high: 'bad',
  medium: 'warning',
  low: 'quiet',
};

function findingTable(findings: readonly ShownFinding[]): PageTable {
  return {
    caption: `What was found, the one that matters most first${restOf(findings)}`,
    columns: ['Subject', 'Severity', 'What', 'Setting to change', 'Seen in'].map((title) => ({
      title,
    })),
    rows: findings
      .slice(0, mostRows)
      .map(({ subject, severity, what, setting, examples }) => [
        subject,
        { text: severity, tone: severityTones[severity] },
        what,
        setting,
        examples.join(', '),
      ]),
  };
}

function failureChart(activities: readonly ShownActivity[]): Chart {
  const values = activities.slice(0, mostPoints).map(({ name, failureRate, failureInterval }) => ({
    activity: name,
    failureRate: 100 * (failureRate ?? 0),
    low: 100 * failureInterval.low,
    high: 100 * failureInterval.high,
  }));
  const [first] = values;
  const order = { field: 'activity', type: 'nominal', title: null, sort: null } as const;
  return {
    title: 'Failed attempts of each type of activity, in percent',
    description: `Points are rates, lines where they lie with 95 % confidence. Of ${first?.activity} ${first?.failureRate.toFixed(1)} % failed.`,
    spec: {
      data: { values },
      encoding: { y: order },
      layer: [
        {
          mark: { type: 'rule', strokeWidth: 2 },
          encoding: { x: { field: 'low', type: 'quantitative' }, x2: { field: 'high' } },
        },
        {
          mark: { type: 'point', filled: true, size: 110, opacity: 1 },
          encoding: {
            x: { field: 'failureRate', type: 'quantitative', title: 'Failed attempts, %' },
          },
        },
      ],
    },
  };
}

function activityTable(activities: readonly ShownActivity[]): PageTable {
  const figures = ['Calls', 'Lost', 'Attempts', 'Failed', '95 % between', 'Attempts for each call'];
  return {
    caption: `Types of activity, those with most failed attempts first${restOf(activities)}`,
    columns: [
      { title: 'Activity' },
      ...[...figures, 'Median', '95th percentile'].map((title) => ({ title, isNumber: true })),
    ],
    rows: activities.slice(0, mostRows).map((activity) => {
      const { failureInterval, p50Ms, p95Ms } = activity;
      return [
        activity.name,
        activity.calls.toLocaleString('en-US'),
        activity.lost.toLocaleString('en-US'),
        activity.attempts.toLocaleString('en-US'),
        activity.failureRate === null ? '' : percentText(activity.failureRate),
        activity.failureRate === null
          ? ''
          : `${percentText(failureInterval.low)} and ${percentText(failureInterval.high)}`,
        amplificationText(activity),
        p50Ms === null ? '' : durationText(p50Ms),
        p95Ms === null ? '' : durationText(p95Ms),
      ];
    }),
  };
}

function restOf(all: readonly unknown[]): string {
  return all.length > mostRows ? `, the first ${mostRows} of ${all.length}` : '';
}
