import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import { assertNever } from '../../budget/assert-never.js';
import type { Settlement } from '../../contract/messages.js';
import type { EntryState, Ledger, LedgerEntry } from '../../ledger/index.js';
import { NotFoundError, NotToldError, UsageError, WrongStateError } from '../cli-errors.js';
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
import { isoTime } from './entry-view.js';
import { findEntry } from './find-entry.js';
import { readResult } from './read-result.js';
import { type Told, tellWorkflow } from './tell-workflow.js';
import { updateCommand } from './update-command.js';

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
Only an effect that is unknown can be settled. The ledger is written first; then the workflow is
told by the update holdfast.settle, for it may be waiting. That it isn't, or has ended, is no
failure. That it refuses this person, or can't be reached, is one (exit code 4).
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
    .option('--no-tell', 'write the ledger and tell no workflow')
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
  const server = options.tell ? readServerConfig(options) : undefined; // wrong settings show before anything is written
  const entry = await withLedger(options, (ledger) => resolve(ledger, key, said));
  const settlement: Settlement = { key: entry.key, ...said };
  if (!options.json) say(writtenText(entry, said.done));
  const place = { workflowId: entry.workflowId, namespace: options.namespace ?? entry.namespace };
  const told = server === undefined ? notAsked : await tell({ server, place, settlement, options });
  if (options.json) return sayJson({ ...settlement, workflow: { ...place, ...told } });
  say(toldText(place.workflowId, told));
}

const notAsked = { kind: 'not-asked' } as const;

type Heard = Exclude<Told, { readonly kind: 'not-told' }>;

type Place = { readonly workflowId: string; readonly namespace: string };

async function tell(asked: {
  readonly server: ServerConfig;
  readonly place: Place;
  readonly settlement: Settlement;
  readonly options: SettleOptions;
}): Promise<Heard> {
  const { place, settlement } = asked;
  const server = { ...asked.server, namespace: place.namespace };
  const withinMs = asked.options.tellWithin * 1_000;
  const told = await tellWorkflow({ server, workflowId: place.workflowId, settlement, withinMs });
  if (told.kind !== 'not-told') return told;
  const command = updateCommand({ ...place, address: server.address, settlement });
  const { reason, needsOther } = told;
  throw new NotToldError({ ...place, key: settlement.key, reason, command, needsOther });
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

async function resolve(ledger: Ledger, key: string, said: Said): Promise<LedgerEntry> {
  const entry = await findEntry(ledger, key);
  const answer = await ledger.resolve(entry.key, {
    end: said.done ? { kind: 'done', result: said.result } : { kind: 'not-done' },
    by: said.by,
    note: said.note ?? '',
  });
  switch (answer.kind) {
    case 'resolved':
      return entry;
    case 'missing':
      throw new NotFoundError(`The effect ${entry.key} has just been removed from the ledger.`);
    case 'not-unknown':
      throw new WrongStateError(entry.key, answer.state, stateText(entry, answer.state));
    default:
      return assertNever(answer);
  }
}

function stateText({ key, leaseUntil }: LedgerEntry, state: EntryState): string {
  const until =
    state === 'claimed' ? `, by an attempt that may run until ${isoTime(leaseUntil)}` : '';
  return `Only an unknown effect can be settled, and ${key} is ${state}${until}. Nothing was written.`;
}

function writtenText({ tool, workflowId }: LedgerEntry, done: boolean): string {
  const end = done ? 'has happened' : 'has not happened, and may run';
  return `The ledger has been written: ${printable(tool)} of ${printable(workflowId)} ${end}.`;
}

function toldText(workflowId: string, told: Heard | typeof notAsked): string {
  const workflow = `The workflow ${printable(workflowId)}`;
  switch (told.kind) {
    case 'told':
      return `${workflow} was waiting, and has been told.`;
    case 'not-waiting':
      return `${workflow} was not waiting for it: ${printable(told.reason)}`;
    case 'not-asked':
      return `${workflow} has not been told, as --no-tell says.`;
    default:
      return assertNever(told);
  }
}
