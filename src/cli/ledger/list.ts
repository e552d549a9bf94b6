import { type Command, Option } from 'commander';
import type { EntryState, LedgerEntry } from '../../ledger/index.js';
import { wholeNumber } from '../number-option.js';
import { type LedgerChoice, ledgerOption, withLedger } from '../open-ledger.js';
import { paint, say, sayJson } from '../output.js';
import { printable } from '../printable.js';
import { type Column, renderTable } from '../table.js';
import { entryAsJson, entryStates, isoTime, stateStyles } from './entry-view.js';

type ListOptions = LedgerChoice & {
  readonly state?: EntryState;
  readonly workflow?: string;
  readonly tool?: string;
  readonly limit: number;
  readonly after?: string;
  readonly wide?: true;
  readonly json?: true;
};

const help = `
Prints one JSON document with --json: {"entries": […], "next": cursor or null}.

Examples:
  holdfast ledger list --ledger ./effects.db --state unknown
  holdfast ledger list --workflow ticket-14 --json`;

/** Adds `holdfast ledger list`. */
export function addListCommand(ledger: Command): void {
  ledger
    .command('list')
    .description('List effects, those first that were claimed last')
    .addOption(ledgerOption())
    .addOption(new Option('--state <state>', 'only those in this state').choices(entryStates))
    .option('--workflow <id>', 'only those of this workflow')
    .option('--tool <name>', 'only those of this tool')
    .addOption(
      new Option('--limit <number>', 'effects that are shown at most')
        .argParser(wholeNumber({ least: 1, most: 10_000 }))
        .default(100),
    )
    .option('--after <cursor>', 'go on where an earlier list ended')
    .option('--wide', 'show every text whole, however long its line')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(list);
}

async function list(options: ListOptions): Promise<void> {
  const { state, workflow, tool, limit, after } = options;
  const page = await withLedger(options, (ledger) =>
    ledger.list({ state, workflowId: workflow, tool, limit, after }),
  );
  if (options.json) {
    return sayJson({ entries: page.entries.map(entryAsJson), next: page.next });
  }
  if (page.entries.length === 0) return say('No effect is like that.');
  say(
    renderTable(columns(options.wide === true), page.entries, {
      paint,
      isWide: options.wide === true,
    }),
  );
  if (page.next !== null) say(paint('dim', `There are more: --after ${page.next}`));
}

/** Their widths and the gaps between them make 100 cells. */
function columns(isWide: boolean): readonly Column<LedgerEntry>[] {
  return [
    { title: 'KEY', most: 13, text: ({ key }) => printable(key) },
    {
      title: 'STATE',
      most: 8,
      text: ({ state }) => state,
      style: ({ state }) => stateStyles[state],
    },
    { title: 'TOOL', most: 23, text: ({ tool }) => printable(tool) },
    {
      title: 'CLAIMED',
      most: 20,
      text: ({ claimedAt }) => {
        const time = isoTime(claimedAt);
        return isWide ? time : time.replace(/\.\d+Z$/, 'Z');
      },
    },
    { title: 'WORKFLOW', most: 28, text: ({ workflowId }) => printable(workflowId) },
  ];
}
