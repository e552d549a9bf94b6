import { setCurrentDetails } from '@temporalio/workflow';
import { assertNever } from '../budget/assert-never.js';
import type { BreakerState } from '../budget/breaker.js';
import type { CallLine, RunState } from '../contract/run-state.js';

const LINES_SHOWN = 20;

/** Shows the run in the UI's Current Details: downstreams, the pool, and the last calls. */
export function showDetails(state: RunState): void {
  setCurrentDetails(renderDetails(state));
}

/** Returns the run as Markdown tables. */
export function renderDetails(state: RunState): string {
  const { pool } = state;
  const free = pool.total - pool.spent - pool.reserved;
  return [
    '### Downstreams',
    table(
      ['downstream', 'breaker', 'failures in a row'],
      Object.entries(state.breakers).map(([name, breaker]) => [name, ...breakerCells(breaker)]),
    ),
    '### Retry pool',
    `${free} of ${pool.total} free, ${pool.reserved} promised, ${pool.spent} spent`,
    '### Steps',
    table(
      ['call', 'step', 'tool', 'attempts', 'outcome'],
      state.lines.slice(-LINES_SHOWN).map(lineCells),
    ),
  ].join('\n\n');
}

function breakerCells(breaker: BreakerState): [string, string] {
  switch (breaker.kind) {
    case 'closed':
      return ['closed', String(breaker.failuresInARow)];
    case 'open':
      return [`open (${breaker.rejected} rejected)`, '-'];
    case 'half-open':
      return ['half-open (probing)', '-'];
    default:
      return assertNever(breaker);
  }
}

function lineCells(line: CallLine): string[] {
  const attempts = line.attemptsKnown ? String(line.attempts) : `${line.attempts} or more`;
  const outcome = line.reason === undefined ? line.kind : `${line.kind} (${line.reason})`;
  return [String(line.call), line.step ?? '', line.tool, attempts, outcome];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => (cell.includes('|') ? cell.replaceAll('|', '\\|') : cell)).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
