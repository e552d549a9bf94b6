import { setCurrentDetails } from '@temporalio/workflow';
import { assertNever } from '../budget/assert-never.js';
import type { BreakerState } from '../budget/breaker.js';
import type { DeliveredPolicy } from '../contract/delivered-policy.js';
import { callName } from '../contract/governed-tool.js';
import type { CallLine, Planned, RunCost, RunState } from '../contract/run-state.js';
import type { OpenCall } from './call-end.js';
import { runContext } from './run-context.js';
import type { People } from './waitlist.js';

const ENDED_SHOWN = 20;
const PLANNED_SHOWN = 10;

/**
 * Shows the run in the UI's Current Details: downstreams, the pool, and what each call does. Called when
 * somebody asks: rendering them at each step would cost more than the step's own accounts.
 */
export function showDetails(state: RunState): void {
  const { open, people } = runContext();
  setCurrentDetails(renderDetails(state, [...open.values()], people));
}

/**
 * Returns the run as Markdown tables: what waits for a person, calls that ended, calls that run, and what is
 * planned next.
 */
function renderDetails(state: RunState, running: readonly OpenCall[], people: People): string {
  const { pool, planned } = state;
  const free = pool.total - pool.spent - pool.reserved;
  const unseen = planned.length - PLANNED_SHOWN;
  return [
    ...waitingDetails(people),
    '### Downstreams',
    table(
      ['downstream', 'breaker', 'failures in a row'],
      Object.entries(state.breakers).map(([name, breaker]) => [name, ...breakerCells(breaker)]),
    ),
    '### Retry pool',
    `${free} of ${pool.total} free, ${pool.reserved} promised to running calls, ${pool.spent} spent`,
    ...spentDetails(state),
    ...policyDetails(state),
    ...childDetails(state),
    '### Steps',
    table(
      ['call', 'step', 'tool', 'attempts', 'outcome'],
      [
        ...state.lines.slice(-ENDED_SHOWN).map(endedCells),
        ...running.map(runningCells),
        ...planned.slice(0, PLANNED_SHOWN).map(plannedCells),
      ],
    ),
    ...(unseen > 0 ? [`and ${unseen} more planned`] : []),
  ].join('\n\n');
}

/** A policy that came with the code is no news. */
function policyDetails({ policy, policyVersion, mode }: RunState): string[] {
  if (policy === undefined) return [];
  return ['### Policy', `version ${policyVersion}, mode ${mode}, ${originOf(policy)}`];
}

function originOf(policy: DeliveredPolicy): string {
  switch (policy.kind) {
    case 'client':
      return 'from the client';
    case 'source':
      return `from the source as ${policy.name}`;
    case 'update':
      return `put in force by ${policy.by} at ${second(policy.at)}`;
    default:
      return assertNever(policy);
  }
}

function childDetails({ childLines = [] }: RunState): string[] {
  if (childLines.length === 0) return [];
  const rows = childLines
    .slice(-ENDED_SHOWN)
    .map(({ workflowId, slice, spent, end }) => [
      workflowId,
      String(slice.retries),
      spent === null ? '' : String(spent.retries),
      end,
    ]);
  return ['### Children', table(['workflow', 'retries given', 'used', 'end'], rows)];
}

/** Tokens and money, once there are any: most runs of plain tools use none. */
function spentDetails({ tokens, cost }: RunState): string[] {
  if (tokens.useful === 0 && tokens.wasted === 0 && cost === undefined) return [];
  const spent = `${tokens.useful} tokens useful, ${tokens.wasted} wasted`;
  return ['### Spent', cost === undefined ? spent : `${spent}; ${costText(cost)}`];
}

function costText({ usefulMicros, wastedMicros, unpricedAttempts }: RunCost): string {
  const known = `cost ${units(usefulMicros)} useful, ${units(wastedMicros)} wasted`;
  return unpricedAttempts === 0
    ? known
    : `${known}, and ${unpricedAttempts} attempts without a price`;
}

/** Returns millionths of a currency unit as units. */
function units(micros: number): string {
  return (micros / 1_000_000).toFixed(6);
}

function waitingDetails({ approvals, questions, settlements }: People): string[] {
  const rows = [
    ...approvals.shown().map((one) => waitingCells(`call ${one.callId}`, one.tool, one)),
    ...questions
      .shown()
      .map((one) => waitingCells(`question ${one.questionId}`, one.question, one)),
    ...settlements
      .shown()
      .map((one) => waitingCells(`unknown write, call ${one.callId}`, one.tool, one)),
  ];
  if (rows.length === 0) return [];
  return ['### Waits for a person', table(['what', 'of', 'since', 'until'], rows)];
}

function waitingCells(
  what: string,
  of: string,
  times: { readonly requestedAt: number; readonly deadlineAt: number | null },
): string[] {
  const { requestedAt, deadlineAt } = times;
  return [what, of, second(requestedAt), deadlineAt === null ? '-' : second(deadlineAt)];
}

/** Returns a time of the workflow's clock to the second, such as `2026-03-01 12:30:05 UTC`. */
function second(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function breakerCells(breaker: BreakerState): [breaker: string, failuresInARow: string] {
  switch (breaker.kind) {
    case 'closed':
      return ['closed', String(breaker.failuresInARow)];
    case 'open': {
      const since = new Date(breaker.openedAt).toISOString().slice(11, 19);
      return [`open since ${since} UTC, ${breaker.rejected} rejected`, '-'];
    }
    case 'half-open':
      return ['half-open, one probe is out', '-'];
    default:
      return assertNever(breaker);
  }
}

function endedCells(line: CallLine): string[] {
  const attempts = line.attemptsKnown ? String(line.attempts) : `${line.attempts} or more`;
  const outcome = line.reason === undefined ? line.kind : `${line.kind} (${line.reason})`;
  const step = line.undoes === undefined ? (line.step ?? '') : `undoes call ${line.undoes}`;
  return [String(line.call), step, line.tool, attempts, outcome];
}

/** The server makes the attempts: while they last, a workflow knows only how many there may be. */
function runningCells({ call, step, tool, share }: OpenCall): string[] {
  return [String(call), step ?? '', callName(tool), `up to ${1 + share}`, 'running'];
}

/** An expected call of a tool is no step: its id, `tool/1`, says no more than the tool's name. */
function plannedCells({ id, tool }: Planned): string[] {
  return ['', id.includes('/') ? '' : id, tool, '', 'planned'];
}

// The UI draws table cells without any room between them, and Markdown trims plain blanks.
const GAP = '\u00a0\u00a0\u00a0';

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => (cell.includes('|') ? cell.replaceAll('|', '\\|') : cell) + GAP).join(' | ')} |`;
  const left = `| ${head.map(() => ':---').join(' | ')} |`;
  return [line(head), left, ...rows.map(line)].join('\n');
}
