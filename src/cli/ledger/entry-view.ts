import type { EntryState, LedgerEntry } from '../../ledger/index.js';
import type { Style } from '../output.js';

/** The states an entry can have, in the order of their lives. */
export const entryStates = [
  'claimed',
  'unknown',
  'done',
  'refused',
  'undone',
  'released',
] as const satisfies readonly EntryState[];

/** The colour of each state: what waits for a person stands out. */
export const stateStyles: Readonly<Record<EntryState, Style>> = {
  claimed: 'yellow',
  unknown: 'red',
  done: 'green',
  refused: 'dim',
  undone: 'dim',
  released: 'dim',
};

/** Returns epoch milliseconds as ISO time, UTC. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Returns an entry as JSON shows it: as it is, its times in ISO. */
export function entryAsJson(entry: LedgerEntry): object {
  return {
    ...entry,
    leaseUntil: isoTime(entry.leaseUntil),
    firstClaimedAt: isoTime(entry.firstClaimedAt),
    claimedAt: isoTime(entry.claimedAt),
    settledAt: entry.settledAt === null ? null : isoTime(entry.settledAt),
  };
}
