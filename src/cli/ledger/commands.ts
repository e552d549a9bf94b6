import type { Command } from 'commander';
import { exitCodesHelp } from '../exit-codes.js';
import { addListCommand } from './list.js';
import { addSettleCommand } from './settle.js';
import { addShowCommand } from './show.js';
import { addSweepCommand } from './sweep.js';

const help = `
Examples:
  export HOLDFAST_LEDGER=postgres://app@db/holdfast
  holdfast ledger list --state unknown
  holdfast ledger show 5d41402abc4b2a76
  holdfast ledger settle 5d41402abc4b2a76 --done --result '{"refundId":"r-17"}'
  holdfast ledger settle 5d41402abc4b2a76 --not-done --note 'asked the bank'
  holdfast ledger sweep`;

/** Adds `holdfast ledger` and its commands. */
export function addLedgerCommands(program: Command): void {
  const ledger = program
    .command('ledger')
    .description('Look at the effects that calls have had, and settle those of which nobody knows')
    .addHelpText('after', help)
    .addHelpText('after', exitCodesHelp);
  addListCommand(ledger);
  addShowCommand(ledger);
  addSettleCommand(ledger);
  addSweepCommand(ledger);
}
