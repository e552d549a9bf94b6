import type {
  CallReport,
  HistoryReport,
  RunReport,
  Spent,
  TypeReport,
} from '../../history/report.js';
import { durationText, unitsText } from '../figures.js';
import type { Paint, Style } from '../output.js';
import { printable } from '../printable.js';
import { type Column, renderFacts, renderTable, type TableOptions } from '../table.js';

/** Calls that are listed; the page and JSON hold all. */
const mostCalls = 50;

/** Returns the report as text: the runs, the types, and the calls that were not answered at once. */
export function renderReport(report: HistoryReport, options: TableOptions): string {
  const { runs, types, totals } = report;
  const telling = runs.flatMap((run) => run.calls).filter(isTelling);
  const parts = [...runs.map((run) => renderRun(run, options.paint))];
  if (totals.calls === 0) return [...parts, 'It has called no activity.'].join('\n\n');
  parts.push(renderFacts(totalFacts(report), options.paint));
  parts.push(renderTable(typeColumns, types, options));
  if (telling.length > 0) parts.push(renderCalls(telling, options));
  return parts.join('\n\n');
}

/** A history that is cut off at its beginning doesn't tell. */
const unknown = 'unknown';

function renderRun(run: RunReport, paint: Paint): string {
  const { workflowId, workflowType, runId, status, startedAt, endedAt, failure } = run;
  const took = endedAt === null ? 'so far' : `after ${durationText(endedAt - startedAt)}`;
  const governed = run.isGoverned ? 'governed by holdfast' : 'not governed';
  return renderFacts(
    [
      ['workflow', printable(`${workflowId || unknown} (${workflowType || unknown})`)],
      ['run', `${printable(runId || unknown)}, ${governed}, ${run.events} events`],
      ['status', paint(statusStyle(status), `${status.replaceAll('-', ' ')} ${took}`)],
      ...(failure === null ? [] : [['failure', printable(failure.message)] as const]),
    ],
    paint,
  );
}

function statusStyle(status: RunReport['status']): Style {
  if (status === 'completed') return 'green';
  return status === 'running' || status === 'continued-as-new' ? 'dim' : 'red';
}

function totalFacts({ totals }: HistoryReport): readonly (readonly [string, string])[] {
  const { calls, attempts, retries, amplification, unanswered, spent } = totals;
  const facts: (readonly [string, string])[] = [
    ['calls', `${calls}, ${unanswered} without an answer`],
    [
      'attempts',
      `${attempts}, ${retries} of them retries, ${(amplification ?? 0).toFixed(2)} a call`,
    ],
    ['before last attempts', durationText(totals.beforeLastAttemptMs)],
  ];
  if (totals.retriesInVain > 0) {
    facts.push(['retries in vain', `${totals.retriesInVain}: on failures that no retry mends`]);
  }
  if (spent !== null) facts.push(['tokens', tokensText(spent)], ['money', moneyText(spent)]);
  return facts;
}

function tokensText({ tokensUseful, tokensWasted }: Spent): string {
  return `${tokensUseful} useful, ${tokensWasted} wasted`;
}

function moneyText({ costUsefulMicros, costWastedMicros }: Spent): string {
  const text = (micros: number | null): string => (micros === null ? 'unknown' : unitsText(micros));
  return `${text(costUsefulMicros)} useful, ${text(costWastedMicros)} wasted`;
}

/** Their widths and the gaps between them make 100 cells. */
const typeColumns: readonly Column<TypeReport>[] = [
  { title: 'ACTIVITY', most: 24, text: ({ type }) => printable(type) },
  { title: 'CALLS', most: 7, text: ({ calls }) => String(calls) },
  { title: 'ATTEMPTS', most: 8, text: ({ attempts }) => String(attempts) },
  { title: 'RETRIES', most: 7, text: ({ retries }) => String(retries) },
  {
    title: 'UNANSWERED',
    most: 10,
    text: ({ unanswered }) => String(unanswered),
    style: ({ unanswered }) => (unanswered === 0 ? 'green' : 'red'),
  },
  { title: 'LAST FAILURE', most: 32, text: ({ lastFailure }) => failureText(lastFailure) },
];

function failureText(failure: TypeReport['lastFailure']): string {
  return failure === null ? '' : printable(`${failure.class}: ${failure.message}`);
}

function isTelling({ attempts, end, gate }: CallReport): boolean {
  const wasHeld = gate !== null && (gate.waits.length > 0 || gate.interruptions > 0);
  return attempts > 1 || end !== 'completed' || wasHeld || gate?.isReplayed === true;
}

function renderCalls(calls: readonly CallReport[], options: TableOptions): string {
  const rest = calls.length - mostCalls;
  const table = renderTable(callColumns, calls.slice(0, mostCalls), options);
  return rest > 0
    ? `${table}\n${options.paint('dim', `And ${rest} more: --json has all.`)}`
    : table;
}

const callColumns: readonly Column<CallReport>[] = [
  { title: 'CALL', most: 22, text: ({ summary, type }) => printable(summary ?? type) },
  { title: 'END', most: 11, text: ({ end }) => end, style: ({ end }) => endStyle(end) },
  {
    title: 'ATTEMPTS',
    most: 8,
    text: ({ attempts, attemptsKnown }) => `${attempts}${attemptsKnown ? '' : '+'}`,
  },
  {
    title: 'BEFORE',
    most: 8,
    text: ({ beforeLastAttemptMs }) => durationText(beforeLastAttemptMs),
  },
  {
    title: 'BACKOFF',
    most: 8,
    text: ({ backoffMs }) => (backoffMs === null ? '' : durationText(backoffMs)),
  },
  { title: 'GATE AND LAST FAILURE', most: 33, text: (call) => whyText(call) },
];

function endStyle(end: CallReport['end']): Style {
  if (end === 'completed') return 'green';
  return end === 'pending' ? 'dim' : 'red';
}

function whyText(call: CallReport): string {
  const local = call.isLocal ? 'local' : '';
  return [local, gateText(call), failureText(call.lastFailure)]
    .filter((text) => text !== '')
    .join('; ');
}

function gateText({ gate }: CallReport): string {
  if (gate === null) return '';
  return [
    ...(gate.stop === null ? [] : [`stopped by ${gate.stop}`]),
    ...(gate.isReplayed ? ['answered by the ledger'] : []),
    ...(gate.interruptions === 0 ? [] : [`interrupted ${gate.interruptions}×`]),
    ...gate.waits.map(({ what, waitMs }) => `waited ${durationText(waitMs)} for ${what}`),
    `share ${gate.share}`,
  ].join(', ');
}
