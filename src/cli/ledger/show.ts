import type { Command } from 'commander';
import type { LedgerEntry, RecordedEnd } from '../../ledger/index.js';
import { type LedgerChoice, ledgerOption, withLedger } from '../open-ledger.js';
import { paint, say, sayJson } from '../output.js';
import { printable } from '../printable.js';
import { renderFacts } from '../table.js';
import { entryAsJson, isoTime, stateStyles } from './entry-view.js';
import { findEntry } from './find-entry.js';

type ShowOptions = LedgerChoice & { readonly json?: true };

const help = `
The key may be shortened to its first digits, 8 or more, where only one begins so.

Examples:
  holdfast ledger show 5d41402abc4b
  holdfast ledger show 5d41402abc4b --json`;

/** Adds `holdfast ledger show`. */
export function addShowCommand(ledger: Command): void {
  ledger
    .command('show')
    .description('Show all that is known of one effect')
    .argument('<key>', 'its idempotency key')
    .addOption(ledgerOption())
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(show);
}

async function show(key: string, options: ShowOptions): Promise<void> {
  const entry = await withLedger(options, (ledger) => findEntry(ledger, key));
  if (options.json) return sayJson(entryAsJson(entry));
  say(renderFacts(factsOf(entry), paint));
  if (entry.state === 'unknown') {
    say(
      `\nWhoever knows settles it: holdfast ledger settle ${printable(entry.key)} --done --result <json>, or --not-done`,
    );
  }
}

function factsOf(entry: LedgerEntry): readonly (readonly [string, string])[] {
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ['key', entry.key],
    ['tool', entry.tool],
    ['downstream', entry.downstream],
    ['tenant', entry.tenant],
    ['workflow', entry.workflowId],
    ['run', entry.runId],
    ['namespace', entry.namespace],
    ['claimed', isoTime(entry.claimedAt)],
    ['first claimed', isoTime(entry.firstClaimedAt)],
    ['lease until', isoTime(entry.leaseUntil)],
    ['claims', String(entry.epoch)],
    ['settled', entry.settledAt === null ? null : isoTime(entry.settledAt)],
    ['settled by', entry.settledBy],
    ['note', entry.note],
    ['approval', entry.approval],
    ['fingerprint', entry.fingerprint],
    ['stale settles', entry.staleSettles === 0 ? null : String(entry.staleSettles)],
    ['reason', entry.reason],
    ['end', entry.end === null ? null : endOf(entry.end)],
  ];
  const state = ['state', paint(stateStyles[entry.state], entry.state)] as const;
  const known = facts.flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, printable(value)] as const],
  );
  return [...known.slice(0, 1), state, ...known.slice(1)];
}

function endOf(end: RecordedEnd): string {
  if (end.kind === 'refused') return `${end.failure.class}: ${end.failure.message}`;
  if (end.effect.kind === 'result')
    return JSON.stringify(end.effect.value) ?? 'it answered nothing';
  return `no result was kept (${end.effect.failure.class}: ${end.effect.failure.message})`;
}
