import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import { assertNever } from '../../budget/assert-never.js';
import { HoldfastError } from '../../budget/errors.js';
import type { Settlement } from '../../contract/messages.js';
import type { LedgerEntry } from '../../ledger/index.js';
import {
  NotWrittenError,
  SettlementRefusedError,
  UsageError,
  WorkflowUnreachableError,
} from '../cli-errors.js';
import { wholeNumber } from '../number-option.js';
import { type LedgerChoice, ledgerOption, withLedger } from '../open-ledger.js';
import { say, sayJson } from '../output.js';
import { printable } from '../printable.js';
import {
  addressOption,
  readServerConfig,
  type ServerChoice,
  type ServerConfig,
} from '../temporal-client.js';
import { findEntry } from './find-entry.js';
import { readResult } from './read-result.js';
import type { Told } from './tell-workflow.js';
import {
  checkUnknown,
  type SettlementToWrite,
  writeSettlement,
  writeTold,
} from './write-settlement.js';

type SettleOptions = LedgerChoice &
  ServerChoice & {
    readonly done?: true;
    readonly result?: string;
    readonly notDone?: true;
    readonly by?: string;
    readonly note?: string;
    readonly tell: boolean;
    readonly tellWithin: number;
    readonly json?: true;
  };

const help = `
Only an effect that is unknown can be settled. Its workflow may be waiting, and is asked first by
the update holdfast.settle: it knows who may settle, and what the tool can answer. Where it refuses
(exit code 1) or can't be reached (3), nothing is written. Where it doesn't wait, or has ended, the
ledger is written all the same. --no-tell writes the ledger and asks no workflow.
The server is found as the temporal command finds it: TEMPORAL_ADDRESS, TLS, API key, profile.
--json prints {"key", "done", "result", "by", "note", "workflow": {"workflowId", "namespace",
"kind"}}, where kind is told, not-waiting (with a "reason") or not-asked.

Examples:
  holdfast ledger settle 5d41402abc4b --done --result '{"refundId":"r-17"}'
  holdfast ledger settle 5d41402abc4b --done --result @refund.json --note 'seen in the bank account'
  curl -s https://shop/refunds/17 | holdfast ledger settle 5d41402abc4b --done --result -
  holdfast ledger settle 5d41402abc4b --not-done --by ada`;

/** Adds `holdfast ledger settle`. */
export function addSettleCommand(ledger: Command): void {
  ledger
    .command('settle')
    .description('Say of an unknown effect whether it has happened')
    .argument('<key>', 'its idempotency key, or the first 8 digits of it or more')
    .addOption(ledgerOption())
    .addOption(new Option('--done', 'it has happened').conflicts('notDone'))
    .option(
      '--result <json>',
      'with --done, what the tool would have answered: JSON, @file, or - for standard input',
    )
    .addOption(
      new Option('--not-done', 'it has not happened, so that it may run').conflicts('result'),
    )
    .option('--by <name>', 'who says so (default: the name of this user)')
    .option('--note <text>', 'why, for whoever reads the ledger')
    .option('--no-tell', 'write the ledger and ask no workflow')
    .addOption(
      new Option('--tell-within <seconds>', 'how long the workflow is waited for')
        .argParser(wholeNumber({ least: 1, most: 600 }))
        .default(10),
    )
    .addOption(addressOption())
    .option(
      '--namespace <name>',
      "the workflow's namespace (default: the one the ledger has noted)",
    )
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(settle);
}

async function settle(key: string, options: SettleOptions): Promise<void> {
  const said = await readSaid(options);
  const server = options.tell ? readServerConfig(options) : undefined; // wrong settings show before anything is asked
  await withLedger(options, async (ledger) => {
    const entry = await findEntry(ledger, key);
    checkUnknown(entry);
    const settlement: Settlement = { key: entry.key, ...said };
    const place = { workflowId: entry.workflowId, namespace: options.namespace ?? entry.namespace };
    const withinMs = options.tellWithin * 1_000;
    const heard =
      server === undefined ? notAsked : await ask({ server, place, settlement, withinMs });
    const asked = { ledger, entry, settlement };
    await (heard.kind === 'told' ? confirm(asked, place) : writeSettlement(asked));
    if (options.json) return sayJson({ ...settlement, workflow: { ...place, ...heard } });
    say(heardText(place.workflowId, heard));
    say(writtenText(entry, said.done));
  });
}

const notAsked = { kind: 'not-asked' } as const;

type Heard = Extract<Told, { readonly kind: 'told' | 'not-waiting' }>;

type Place = { readonly workflowId: string; readonly namespace: string };

/** The workflow knows who may settle, and which results its tool can answer: it is asked before anything is written. */
async function ask({
  place,
  ...asked
}: {
  readonly server: ServerConfig;
  readonly place: Place;
  readonly settlement: Settlement;
  readonly withinMs: number;
}): Promise<Heard> {
  const { workflowId, namespace } = place;
  const server = { ...asked.server, namespace };
  const { tellWorkflow } = await import('./tell-workflow.js'); // with Temporal's client, which takes a while
  const told = await tellWorkflow({ ...asked, server, workflowId });
  const { key } = asked.settlement;
  switch (told.kind) {
    case 'told':
    case 'not-waiting':
      return told;
    case 'refused':
      throw new SettlementRefusedError({ key, ...place, reason: told.reason });
    case 'unreachable':
      throw new WorkflowUnreachableError({ key, ...place, reason: told.reason });
    default:
      return assertNever(told);
  }
}

async function confirm(asked: SettlementToWrite, place: Place): Promise<void> {
  try {
    await writeTold(asked);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    throw new NotWrittenError({ key: asked.entry.key, ...place, reason: error.message });
  }
}

/** What a person says of an effect. */
type Said = Omit<Settlement, 'key'>;

async function readSaid({ done, notDone, result, by, note }: SettleOptions): Promise<Said> {
  if (!done && !notDone) throw new UsageError('Say --done with its --result, or --not-done.');
  if (done && result === undefined) {
    throw new UsageError(
      '--done needs --result: what the tool would have answered, as JSON (null where it answers nothing).',
    );
  }
  const whoAndWhy = { by: by ?? userName(), ...(note === undefined ? {} : { note }) };
  if (whoAndWhy.by.trim() === '') throw new UsageError('--by takes a name that is not blank.');
  if (result === undefined) return { done: false, ...whoAndWhy };
  return { done: true, result: await readResult(result), ...whoAndWhy };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch (cause) {
    // a container's user often has a number and no name
    throw new UsageError('This user has no name: say with --by who settles it.', { cause });
  }
}

function writtenText({ tool, workflowId }: LedgerEntry, done: boolean): string {
  const end = done ? 'has happened' : 'has not happened, and may run';
  return `The ledger has been written: ${printable(tool)} of ${printable(workflowId)} ${end}.`;
}

function heardText(workflowId: string, heard: Heard | typeof notAsked): string {
  const workflow = `The workflow ${printable(workflowId)}`;
  switch (heard.kind) {
    case 'told':
      return `${workflow} was waiting, and has been told.`;
    case 'not-waiting':
      return `${workflow} was not waiting for it: ${printable(heard.reason)}`;
    case 'not-asked':
      return `${workflow} has not been asked, as --no-tell says.`;
    default:
      return assertNever(heard);
  }
}
