import { assertNever } from '../../budget/assert-never.js';
import type { HoldfastError } from '../../budget/errors.js';
import type { Settlement } from '../../contract/messages.js';
import type { EntryState, Ledger, LedgerEntry, ResolveAnswer } from '../../ledger/index.js';
import { NotFoundError, WrongStateError } from '../cli-errors.js';
import { isoTime } from './entry-view.js';

/** What a person says, and the entry as it was when they were asked. */
export type SettlementToWrite = {
  readonly ledger: Ledger;
  readonly entry: LedgerEntry;
  readonly settlement: Settlement;
};

/** @throws WrongStateError where it is known how the effect ended, or may still become known */
export function checkUnknown(entry: LedgerEntry): void {
  if (entry.state !== 'unknown') throw notUnknown(entry, entry.state);
}

/**
 * Writes what a person says of an unknown effect, as it was when it was looked at.
 * @throws NotFoundError where it has been removed meanwhile
 * @throws WrongStateError where it is no longer unknown, or is by a later attempt
 */
export async function writeSettlement(asked: SettlementToWrite): Promise<void> {
  const answer = await resolve(asked);
  if (answer.kind !== 'resolved') throw faultOf(asked.entry, answer);
}

/**
 * Writes what the workflow has been told. Its next attempt writes the same, and may be the first to do so.
 * @throws NotFoundError where it has been removed meanwhile
 * @throws WrongStateError where the ledger holds another end of it
 */
export async function writeTold(asked: SettlementToWrite): Promise<void> {
  const answer = await resolve(asked);
  if (answer.kind === 'resolved' || isAsTold(answer, asked.settlement)) return;
  throw faultOf(asked.entry, answer);
}

type NotResolved = Exclude<ResolveAnswer, { readonly kind: 'resolved' }>;

/** The states of an effect that has happened: the run may have undone it already. */
const happened: readonly EntryState[] = ['done', 'undone'];

/** What has not happened may run: it can have any state by then, even be unknown again. */
function isAsTold(answer: NotResolved, { done }: Settlement): boolean {
  if (answer.kind === 'missing') return false;
  return !done || (answer.kind === 'not-unknown' && happened.includes(answer.state));
}

function resolve({ ledger, entry, settlement }: SettlementToWrite): Promise<ResolveAnswer> {
  const { done, result, by, note = '' } = settlement;
  const end = done ? ({ kind: 'done', result } as const) : ({ kind: 'not-done' } as const);
  return ledger.resolve(entry.key, { end, by, note, epoch: entry.epoch });
}

function faultOf(entry: LedgerEntry, answer: NotResolved): HoldfastError {
  const { key } = entry;
  switch (answer.kind) {
    case 'missing':
      return new NotFoundError(`The effect ${key} has just been removed from the ledger.`);
    case 'superseded':
      return new WrongStateError(
        key,
        'unknown',
        `A later attempt at ${key} has just become unknown: look at it again. Nothing was written.`,
      );
    case 'not-unknown':
      return notUnknown(entry, answer.state);
    default:
      return assertNever(answer);
  }
}

function notUnknown({ key, leaseUntil }: LedgerEntry, state: EntryState): WrongStateError {
  const until =
    state === 'claimed' ? `, by an attempt that may run until ${isoTime(leaseUntil)}` : '';
  const message = `Only an unknown effect can be settled, and ${key} is ${state}${until}. Nothing was written.`;
  return new WrongStateError(key, state, message);
}
