import { isPlainObject } from '../../contract/json.js';
import type { CallLine, RunReport } from '../../contract/run-state.js';
import { unitsText } from '../figures.js';
import type { Paint, Style } from '../output.js';
import { printable } from '../printable.js';
import { type Column, renderTable } from '../table.js';
import type { RunEnd } from './run-end.js';

/** What is said of a run that has ended. */
export type ToldRun = {
  readonly workflowId: string;
  readonly runId: string;
  readonly how: 'started' | 'joined' | 'ended-before';
  readonly end: RunEnd;
};

const styles: Readonly<Record<RunEnd['kind'], Style>> = {
  ok: 'green',
  degraded: 'yellow',
  failed: 'red',
  cancelled: 'yellow',
  terminated: 'red',
  'timed-out': 'red',
};

/** Returns how a run ended as text: its calls, what they spent, and its answer. */
export function renderRun({ workflowId, how, end }: ToldRun, paint: Paint): string {
  const before = how === 'ended-before' ? ' (before; to run it again: --again)' : '';
  const head = `${printable(workflowId)} ended ${paint(styles[end.kind], end.kind)}${before}`;
  const report = reportOf(end);
  return [
    head,
    ...('message' in end ? [printable(end.message)] : []),
    ...(report === undefined ? [] : [renderTable(columns, report.lines, { paint, isWide: false })]),
    ...(report === undefined ? [] : [sumsOf(report)]),
    ...answerOf(end),
  ].join('\n');
}

/** Only a governed run's answer carries one. */
function reportOf(end: RunEnd): RunReport | undefined {
  const value = 'result' in end ? end.result : end.detail;
  const report = isPlainObject(value) && isPlainObject(value.report) ? value.report : value;
  const isReport =
    isPlainObject(report) && Array.isArray(report.lines) && isPlainObject(report.pool);
  return isReport ? (report as RunReport) : undefined; // holdfast alone makes such a shape
}

const columns: readonly Column<CallLine>[] = [
  { title: 'STEP', most: 20, text: ({ step }) => printable(step ?? '') },
  { title: 'TOOL', most: 28, text: ({ tool }) => printable(tool) },
  {
    title: 'END',
    most: 10,
    text: ({ kind }) => kind,
    style: ({ kind }) => (kind === 'ok' ? 'green' : kind === 'degraded' ? 'yellow' : 'red'),
  },
  { title: 'ATTEMPTS', most: 8, isNumber: true, text: ({ attempts }) => String(attempts) },
  {
    title: 'WHY',
    most: 28,
    text: ({ class: cause, reason }) => [cause, reason].filter(Boolean).join(', '),
  },
];

function sumsOf({ calls, attempts, pool, tokens, cost }: RunReport): string {
  const spent = callsText({ calls, attempts, pool });
  const used = tokens.useful + tokens.wasted;
  const money =
    cost === undefined ? '' : `, cost ${unitsText(cost.usefulMicros + cost.wastedMicros)}`;
  return used === 0 ? spent + money : `${spent}, ${used} tokens (${tokens.wasted} wasted)${money}`;
}

/** The text of a loop, the counts of a batch, and what any other workflow returned; a task's steps stand in its table. */
function answerOf(end: RunEnd): readonly string[] {
  if (!('result' in end)) return [];
  const { result } = end;
  if (isPlainObject(result) && typeof result.text === 'string') return linesOf(result.text);
  const { report: _report, steps: _steps, ...rest } = isPlainObject(result) ? result : { result };
  const isTask = isPlainObject(result) && Array.isArray(result.steps);
  if (isTask) return [];
  if (result === null) return ['nothing'];
  return linesOf(JSON.stringify('result' in rest ? rest.result : rest, null, 2) ?? 'nothing');
}

/** JSON, too, holds characters that a terminal would obey. */
function linesOf(text: string): readonly string[] {
  return text.split('\n').map(printable);
}

/** Says what a run has called and retried so far. */
export function callsText({
  calls,
  attempts,
  pool,
}: Pick<RunReport, 'calls' | 'attempts' | 'pool'>): string {
  return (
    `${counted(calls, 'call')}, ${counted(attempts, 'attempt')}, ` +
    `${pool.spent} of ${pool.total} retries used`
  );
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
