import { type Command, Option } from 'commander';
import type { Swept } from '../../ledger/index.js';
import { wholeNumber } from '../number-option.js';
import { type LedgerChoice, ledgerOption, withLedger } from '../open-ledger.js';
import { createProgress, say, sayJson } from '../output.js';

type SweepOptions = LedgerChoice & {
  readonly batch: number;
  readonly retentionDays: number;
  readonly json?: true;
};

const dayMs = 24 * 3_600_000;

const help = `
What has been removed is forgotten: a call with its key would have its effect again. So keep effects
at least as long as Temporal keeps closed workflows, and as the workers' ledger is told
(retentionMs). Effects of which nobody knows stay until somebody settles them.
Progress goes to standard error, unless --json.

Examples:
  holdfast ledger sweep
  holdfast ledger sweep --retention-days 90 --batch 500`;

/** Adds `holdfast ledger sweep`. */
export function addSweepCommand(ledger: Command): void {
  ledger
    .command('sweep')
    .description(
      'Remove settled effects past their retention, and mark claims whose lease has run out',
    )
    .addOption(ledgerOption())
    .addOption(
      new Option('--retention-days <number>', 'days that a settled effect is kept')
        .argParser(wholeNumber({ least: 1, most: 36_500 }))
        .default(30),
    )
    .addOption(
      new Option('--batch <number>', 'effects that one statement touches at most')
        .argParser(wholeNumber({ least: 1, most: 100_000 }))
        .default(1_000),
    )
    .option('--json', 'print JSON: {"removed": …, "expired": …}')
    .addHelpText('after', help)
    .action(sweep);
}

async function sweep(options: SweepOptions): Promise<void> {
  const { batch, retentionDays, json } = options;
  const progress = createProgress();
  const onBatch = (soFar: Swept): void => {
    if (!json) progress.show(`${soFar.removed} removed, ${soFar.expired} marked so far …`);
  };
  const choice = { ...options, retentionMs: retentionDays * dayMs };
  try {
    const swept = await withLedger(choice, (ledger) => ledger.sweep({ batchSize: batch, onBatch }));
    progress.end();
    if (json) return sayJson(swept);
    say(
      `Removed ${swept.removed} effects settled more than ${retentionDays} days ago; ` +
        `marked ${swept.expired} whose lease had run out as unknown.`,
    );
  } finally {
    progress.end();
  }
}
