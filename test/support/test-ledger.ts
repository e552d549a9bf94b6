import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger, openSqlite } from 'holdfast/ledger';

/** A ledger in a file of its own, which other processes may open too. */
export type TestLedger = {
  readonly ledger: Ledger;
  readonly path: string;
  /** Closes the ledger and removes its file. */
  readonly remove: () => Promise<void>;
};

/** Opens a ledger for a test file; remove it in the file's `after`. */
export async function openTestLedger(): Promise<TestLedger> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-ledger-'));
  const path = join(folder, 'ledger.db');
  const ledger = await openSqlite({ path });
  return {
    ledger,
    path,
    remove: async () => {
      await ledger.close();
      await rm(folder, { recursive: true });
    },
  };
}
