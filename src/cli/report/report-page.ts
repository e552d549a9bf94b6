import type { ActivityFacts, RunFacts } from '../../history/run-facts.js';
import { durationText } from '../../pages/duration-text.js';
import type { Block, Fact, Page, PageTable, Section, Tone } from '../../pages/page.js';
import { runFindings } from './run-findings.js';
import { runTimeline } from './run-timeline.js';

/** Rows that a page shows of a run's activities, and findings of a run, at most. */
const mostRows = 1_000;
const mostFindings = 50;

/** Returns the page of a workflow's runs, the first one first: when what ran, what was retried, and why. */
export function reportPage(runs: readonly RunFacts[], command: string): Page {
  const last = runs.at(-1);
  const retries = runs.reduce((sum, run) => sum + retriesOf(run), 0);
  const activities = runs.reduce((sum, run) => sum + run.activities.length, 0);
  return {
    title: `Report of ${last?.workflowId ?? 'no workflow'}`,
    lead: `${last?.workflowType ?? 'It'} is ${last?.status.replaceAll('-', ' ') ?? 'unknown'}: ${countOf(activities, 'activity', 'activities')}, ${countOf(retries, 'retry', 'retries')}.`,
    command,
    sections: runs.flatMap((run, index) =>
      sectionsOf(run, runs.length > 1 ? `Run ${index + 1}: ` : ''),
    ),
  };
}

function sectionsOf(run: RunFacts, prefix: string): readonly Section[] {
  const findings = runFindings(run);
  const rest = findings.length - mostFindings;
  const listed = [
    ...findings.slice(0, mostFindings),
    ...(rest > 0 ? [`And ${countOf(rest, 'more finding', 'more findings')}.`] : []),
  ];
  const hasBars = run.activities.length + run.children.length > 0;
  return [
    { title: `${prefix}Totals`, blocks: [{ kind: 'facts', facts: totals(run) }] },
    {
      title: `${prefix}What stands out`,
      blocks:
        listed.length === 0
          ? [{ kind: 'text', text: 'Nothing: no activity gave up, and no retry was in vain.' }]
          : listed.map((text): Block => ({ kind: 'text', text })),
    },
    ...(hasBars
      ? [
          {
            title: `${prefix}Timeline`,
            blocks: [{ kind: 'timeline', timeline: runTimeline(run) } as const],
          },
          { title: `${prefix}Activities`, blocks: [{ kind: 'table', table: table(run) } as const] },
        ]
      : []),
  ];
}

function totals(run: RunFacts): readonly Fact[] {
  const tookMs = run.endedAt === null ? null : run.endedAt - run.startedAt;
  const calls = run.activities.flatMap(({ call }) => (call === null ? [] : [call]));
  const wastedTokens = calls.reduce((sum, call) => sum + (call.tokensWasted ?? 0), 0);
  const wastedMicros = calls.reduce((sum, call) => sum + (call.costWastedMicros ?? 0), 0);
  const governed: readonly Fact[] = [
    {
      name: 'Tokens wasted',
      value: wastedTokens.toLocaleString('en-US'),
      tone: toneOf(wastedTokens),
    },
    { name: 'Money wasted', value: moneyText(wastedMicros), tone: toneOf(wastedMicros) },
    {
      name: 'Answers of the ledger',
      value: String(calls.filter((call) => call.isReplayed).length),
    },
  ];
  return [
    { name: 'Status', value: run.status.replaceAll('-', ' '), tone: statusTones[run.status] },
    { name: 'Took', value: tookMs === null ? 'still running' : durationText(tookMs) },
    { name: 'Activities', value: String(run.activities.length) },
    { name: 'Retries', value: String(retriesOf(run)) },
    { name: 'Before last attempts', value: durationText(sum(run.activities.map(waitedMs))) },
    { name: 'Holdfast', value: run.isGoverned ? 'governs it' : 'does not govern it' },
    ...(calls.length > 0 ? governed : []),
  ];
}

const statusTones: Readonly<Record<RunFacts['status'], Tone>> = {
  running: 'quiet',
  completed: 'good',
  failed: 'bad',
  canceled: 'warning',
  terminated: 'bad',
  'timed-out': 'bad',
  'continued-as-new': 'quiet',
};

function table(run: RunFacts): PageTable {
  const rest =
    run.activities.length > mostRows ? `, the first ${mostRows} of ${run.activities.length}` : '';
  return {
    caption: `Activities in the order in which they were scheduled${rest}`,
    columns: [
      { title: 'Activity' },
      { title: 'End' },
      { title: 'Attempts', isNumber: true },
      { title: 'Before the last attempt', isNumber: true },
      { title: 'Last failure' },
      { title: 'Tokens wasted', isNumber: true },
      { title: 'Money wasted', isNumber: true },
      { title: 'What the gate did' },
    ],
    rows: run.activities.slice(0, mostRows).map((activity) => {
      const { type, summary, end, attempts, lastFailure, call } = activity;
      const isBad = end === 'failed' || end === 'timed-out';
      return [
        summary ?? type,
        isBad ? { text: end.replaceAll('-', ' '), tone: 'bad' } : end,
        String(attempts),
        durationText(waitedMs(activity)),
        lastFailure === null ? '' : `${lastFailure.message} (${lastFailure.class})`,
        call?.tokensWasted?.toLocaleString('en-US') ?? '',
        call?.costWastedMicros == null ? '' : moneyText(call.costWastedMicros),
        gateText(activity),
      ];
    }),
  };
}

/** In words: what the gate planned, and what it or the worker's half did about the call. */
function gateText({ call, end }: ActivityFacts): string {
  if (call === null) return '';
  const parts = [
    `share of ${countOf(call.share, 'retry', 'retries')}`,
    ...(call.mode === 'observe' ? ['only observed'] : []),
    ...(call.isReplayed ? ['answered by the ledger'] : []),
    ...(end === 'wait' ? ['scheduled again after a wait'] : []),
    ...(end === 'interrupted' ? ['scheduled again after an interruption'] : []),
    ...(call.stop === null ? [] : [`ended by ${call.stop.replaceAll('-', ' ')}`]),
  ];
  return parts.join(', ');
}

/** Time from scheduling to the start of the last attempt: earlier attempts, their waits, and the queue. */
function waitedMs({ scheduledAt, startedAt, endedAt }: ActivityFacts): number {
  return (startedAt ?? endedAt ?? scheduledAt) - scheduledAt;
}

function retriesOf({ activities }: RunFacts): number {
  return sum(activities.map(({ attempts }) => Math.max(0, attempts - 1)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function toneOf(wasted: number): Tone {
  return wasted > 0 ? 'warning' : 'quiet';
}

function moneyText(micros: number): string {
  return (micros / 1_000_000).toFixed(micros === 0 ? 2 : 6);
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
