import type { CallHeader } from '../../src/contract/call-header.js';
import { type Ledger, openSqlite } from '../../src/ledger/index.js';
import type { AttemptOptions } from './attempts.js';

/** Attempts at one write, and the ledger that answers for it. */
export type ClaimRig = {
  readonly ledger: Ledger;
  readonly key: string;
  /** Options of an attempt with these fields in its header. */
  readonly asHeader: (header: Partial<CallHeader>) => AttemptOptions;
  /** Where the effect stands. */
  readonly state: () => Promise<string | undefined>;
  readonly untilState: (wanted: string) => Promise<void>;
};

export const write = { effect: 'write' } as const;
export const keyed = { effect: 'idempotent-write' } as const;

/** Opens a ledger of a test's own. */
export async function openClaimRig(): Promise<ClaimRig> {
  const ledger = await openSqlite({ path: ':memory:' });
  const key = 'k'.repeat(64);
  const state = async (): Promise<string | undefined> => (await ledger.find(key))?.state;
  return {
    ledger,
    key,
    asHeader: (header) => ({ header, ledger }),
    state,
    untilState: async (wanted) => {
      while ((await state()) !== wanted) await new Promise((resolve) => setTimeout(resolve, 2));
    },
  };
}

/** Returns the error of an HTTP client for a status. */
export function status(code: number): Error {
  return Object.assign(new Error(`status ${code}`), { status: code });
}
