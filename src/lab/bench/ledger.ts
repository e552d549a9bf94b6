import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger, openPostgres, openSqlite } from '../../ledger/index.js';
import { measurePairs, type PairContest } from './ledger-pairs.js';
import { measureShares } from './ledger-share.js';
import {
  type FoundPostgres,
  findPostgres,
  openPostgresContest,
  openSqliteContest,
} from './ledger-stores.js';
import type { BenchOptions, BenchResult, Check, Measure } from './result.js';

/**
 * Measures the ledger beside the bare statements of the same driver, and a governed write beside the same
 * call as a read on a development server. PostgreSQL is measured where this machine has one.
 */
export async function benchLedger(options: BenchOptions): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  const postgres = await findPostgres();
  try {
    return await measureIn(folder, postgres, options);
  } finally {
    if ('stop' in postgres) await postgres.stop();
    await rm(folder, { recursive: true });
  }
}

async function measureIn(
  folder: string,
  postgres: FoundPostgres,
  options: BenchOptions,
): Promise<BenchResult> {
  const measures: Measure[] = [];
  const checks: Check[] = [];
  const contests = [() => openSqliteContest(folder)];
  const ledgers = [() => openSqlite({ path: join(folder, 'write.db') })];
  if ('missing' in postgres) {
    options.log(`(d) without PostgreSQL: ${postgres.missing}`);
  } else {
    contests.push(() => openPostgresContest(postgres));
    ledgers.push(async () => openPostgres({ connectionString: await postgres.createDatabase() }));
  }
  for (const open of contests) {
    const pairs = await withContest(await open(), (contest) => measurePairs(contest, options));
    measures.push(...pairs.measures);
    checks.push(...pairs.checks);
  }
  measures.push(...(await withLedgers(ledgers, (opened) => measureShares(opened, options))));
  return {
    id: 'd',
    title: 'the ledger beside bare statements, and a write beside a read',
    measures,
    checks,
    notes: [
      ...('missing' in postgres ? [`PostgreSQL is not measured. ${postgres.missing}`] : []),
      'Bare: one insert that yields to a conflict and one guarded update, prepared, by the driver alone, on',
      'the same table with the same indexes; it knows no leases, conflicts, replays, approvals or checks.',
      'Each commit waits for the disk, in both stores: the slower the disk, the closer the ratio to 1.',
      'A write is the same call as the read, with key, claim and settle: the share is what they add.',
    ],
  };
}

async function withContest<Result>(
  contest: PairContest,
  use: (contest: PairContest) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(contest);
  } finally {
    await contest.ledger.close();
    await contest.bare.close();
  }
}

async function withLedgers<Result>(
  opening: readonly (() => Promise<Ledger>)[],
  use: (ledgers: readonly Ledger[]) => Promise<Result>,
): Promise<Result> {
  const ledgers: Ledger[] = [];
  try {
    for (const open of opening) ledgers.push(await open());
    return await use(ledgers);
  } finally {
    await Promise.all(ledgers.map((ledger) => ledger.close()));
  }
}
