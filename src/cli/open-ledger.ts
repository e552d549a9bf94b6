import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { readDatabaseAddress } from '../database/address.js';
import type { Ledger, LedgerAddress } from '../ledger/index.js';
import { LedgerMissingError, UsageError } from './cli-errors.js';

/** Which ledger a command is about. */
export type LedgerChoice = { readonly ledger?: string };

/** The option that names the ledger. */
export function ledgerOption(): Option {
  return new Option(
    '--ledger <address>',
    'postgres://user:password@host/database, or the path of an SQLite file',
  ).env('HOLDFAST_LEDGER');
}

/** @throws UsageError where no address is given, or one of another kind of store */
export function readAddress(
  address: string | undefined,
): Exclude<LedgerAddress, { kind: 'invalid' }> {
  if (address === undefined || address === '') {
    throw new UsageError('No ledger is named: give --ledger <address>, or set HOLDFAST_LEDGER.');
  }
  const read = readDatabaseAddress(address);
  if (read.kind === 'invalid') throw new UsageError(`The address of --ledger ${read.rule}.`);
  return read;
}

/** Hands an open ledger to `use`, and closes it. A command makes no ledger: a typo would be a new one. */
export async function withLedger<Result>(
  choice: LedgerChoice & { readonly retentionMs?: number },
  use: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const { retentionMs } = choice;
  const ledger = await open(readAddress(choice.ledger), retentionMs);
  try {
    return await use(ledger);
  } finally {
    await ledger.close();
  }
}

/** Loads the stores' drivers, for which other commands needn't wait. */
async function open(
  address: ReturnType<typeof readAddress>,
  retentionMs: number | undefined,
): Promise<Ledger> {
  const { openPostgres, openSqlite } = await import('../ledger/index.js');
  if (address.kind === 'postgres') {
    return openPostgres({
      mustExist: true,
      connectionString: address.connectionString,
      retentionMs,
      maxConnections: 1,
    });
  }
  const { path } = address;
  if (!existsSync(path)) {
    throw new LedgerMissingError(
      `There is no ledger at ${path}: name the file that the workers use.`,
    );
  }
  return openSqlite({ path, retentionMs, mustExist: true });
}
