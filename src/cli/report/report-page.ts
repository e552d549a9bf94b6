import { type CallReport, reportRuns, type Spent, type Totals } from '../../history/report.js';
import type { RunFacts } from '../../history/run-facts.js';
import { durationText } from '../../pages/duration-text.js';
import type { Block, Fact, Page, PageTable, Section, Tone } from '../../pages/page.js';
import { runFindings } from './run-findings.js';
import { runTimeline } from './run-timeline.js';

/** Rows of a table, and findings of a run, that a page shows at most. */
const mostRows = 1_000;
const mostFindings = 50;

/** Returns the page of a workflow's runs, the first one first: when what ran, what was retried, and why. */
export function reportPage(runs: readonly RunFacts[], command: string): Page {
  const { runs: reports, types, totals } = reportRuns(runs);
  const last = runs.at(-1);
  const hasCalls = totals.calls > 0;
  return {
    title: `Report of ${last?.workflowId ?? 'no workflow'}`,
    lead: `${last?.workflowType ?? 'It'} is ${last?.status.replaceAll('-', ' ') ?? 'unknown'}: ${countOf(totals.calls, 'call', 'calls')}, ${totals.unanswered} of them without an answer, and ${countOf(totals.retries, 'retry', 'retries')}.`,
    command,
    sections: [
      { title: 'Totals', blocks: [{ kind: 'facts', facts: totalFacts(runs, totals) }] },
      ...runs.flatMap((run, index) =>
        runSections(run, {
          calls: reports[index]?.calls ?? [],
          prefix: runs.length > 1 ? `Run ${index + 1}: ` : '',
        }),
      ),
      ...(hasCalls
        ? [{ title: 'By type', blocks: [{ kind: 'table', table: typeTable(types) } as const] }]
        : []),
    ],
  };
}

type RunPart = { readonly calls: readonly CallReport[]; readonly prefix: string };

function runSections(run: RunFacts, { calls, prefix }: RunPart): readonly Section[] {
  const findings = runFindings(run);
  const rest = findings.length - mostFindings;
  const listed = [
    ...findings.slice(0, mostFindings),
    ...(rest > 0 ? [`And ${countOf(rest, 'more finding', 'more findings')}.`] : []),
  ];
  const hasBars = run.activities.length + run.children.length > 0;
  return [
    {
      title: `${prefix}What stands out`,
      blocks:
        listed.length === 0
          ? [{ kind: 'text', text: 'Nothing: no activity gave up, and no retry was in vain.' }]
          : listed.map((text): Block => ({ kind: 'text', text })),
    },
    ...(hasBars
      ? [section(`${prefix}Timeline`, { kind: 'timeline', timeline: runTimeline(run) })]
      : []),
    ...(calls.length > 0
      ? [section(`${prefix}Calls`, { kind: 'table', table: callTable(calls) })]
      : []),
  ];
}

function section(title: string, block: Block): Section {
  return { title, blocks: [block] };
}

function totalFacts(runs: readonly RunFacts[], totals: Totals): readonly Fact[] {
  const first = runs[0];
  const last = runs.at(-1);
  if (first === undefined || last === undefined) return [];
  const took =
    last.endedAt === null ? 'still running' : durationText(last.endedAt - first.startedAt);
  return [
    { name: 'Status', value: last.status.replaceAll('-', ' '), tone: statusTones[last.status] },
    { name: 'Took', value: took },
    { name: 'Calls', value: String(totals.calls) },
    {
      name: 'Without an answer',
      value: String(totals.unanswered),
      tone: toneOf(totals.unanswered),
    },
    { name: 'Attempts', value: String(totals.attempts) },
    { name: 'Attempts for each call', value: (totals.amplification ?? 0).toFixed(2) },
    {
      name: 'Retries in vain',
      value: String(totals.retriesInVain),
      tone: toneOf(totals.retriesInVain),
    },
    { name: 'Before last attempts', value: durationText(totals.beforeLastAttemptMs) },
    ...(totals.spent === null ? [] : spentFacts(totals.spent)),
    { name: 'Holdfast', value: last.isGoverned ? 'governs it' : 'does not govern it' },
  ];
}

function spentFacts(spent: Spent): readonly Fact[] {
  return [
    {
      name: 'Tokens wasted',
      value: wholeText(spent.tokensWasted),
      tone: toneOf(spent.tokensWasted),
    },
    {
      name: 'Money wasted',
      value: moneyText(spent.costWastedMicros),
      tone: toneOf(spent.costWastedMicros ?? 0),
    },
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

function callTable(calls: readonly CallReport[]): PageTable {
  const rest = calls.length > mostRows ? `, the first ${mostRows} of ${calls.length}` : '';
  return {
    caption: `Calls in the order in which they were scheduled${rest}`,
    columns: [
      { title: 'Call' },
      { title: 'End' },
      { title: 'Attempts', isNumber: true },
      { title: 'Before the last attempt', isNumber: true },
      { title: 'Of that, backoff', isNumber: true },
      { title: 'Last failure' },
      { title: 'Tokens wasted', isNumber: true },
      { title: 'Money wasted', isNumber: true },
      { title: 'What the gate did' },
    ],
    rows: calls.slice(0, mostRows).map((call) => {
      const { summary, type, end, attempts, attemptsKnown, lastFailure, spent } = call;
      const isBad = end === 'failed' || end === 'timed-out';
      return [
        summary ?? type,
        isBad ? { text: end.replaceAll('-', ' '), tone: 'bad' } : end,
        attemptsKnown ? String(attempts) : `${attempts} or more`,
        durationText(call.beforeLastAttemptMs),
        call.backoffMs === null ? '' : durationText(call.backoffMs),
        lastFailure === null ? '' : `${lastFailure.message} (${lastFailure.class})`,
        spent === null ? '' : wholeText(spent.tokensWasted),
        spent === null ? '' : moneyText(spent.costWastedMicros),
        gateText(call),
      ];
    }),
  };
}

/** In words: what the gate planned, and what it or the worker's half did about the call. */
function gateText({ gate, isLocal }: CallReport): string {
  if (gate === null) return isLocal ? 'a local activity' : '';
  const parts = [
    `share of ${countOf(gate.share, 'retry', 'retries')}`,
    ...(gate.isObserved ? ['only observed'] : []),
    ...(gate.isReplayed ? ['answered by the ledger'] : []),
    ...gate.waits.map(({ what, waitMs }) => `waited ${durationText(waitMs)} for ${what}`),
    ...(gate.interruptions === 0
      ? []
      : [`interrupted ${countOf(gate.interruptions, 'time', 'times')}`]),
    ...(gate.stop === null ? [] : [`ended by ${gate.stop.replaceAll('-', ' ')}`]),
  ];
  return parts.join(', ');
}

function typeTable(types: ReturnType<typeof reportRuns>['types']): PageTable {
  return {
    caption: 'Types of activity, those with most retries first',
    columns: [
      { title: 'Activity' },
      ...['Calls', 'Attempts', 'Retries', 'Retries in vain', 'Without an answer'].map((title) => ({
        title,
        isNumber: true,
      })),
      { title: 'Last failure' },
    ],
    rows: types
      .slice(0, mostRows)
      .map((type) => [
        type.type,
        String(type.calls),
        String(type.attempts),
        String(type.retries),
        String(type.retriesInVain),
        type.unanswered === 0 ? '0' : { text: String(type.unanswered), tone: 'bad' },
        type.lastFailure === null ? '' : `${type.lastFailure.message} (${type.lastFailure.class})`,
      ]),
  };
}

function toneOf(wasted: number): Tone {
  return wasted > 0 ? 'warning' : 'quiet';
}

function wholeText(count: number): string {
  return count.toLocaleString('en-US');
}

/** In units of the currency; the price of a model may not be known. */
function moneyText(micros: number | null): string {
  return micros === null ? 'unknown' : (micros / 1_000_000).toFixed(micros === 0 ? 2 : 6);
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
