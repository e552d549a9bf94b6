import { measureContest } from './decisions.js';
import { measureFleet } from './fleet-load.js';
import { findPostgres } from './ledger-stores.js';
import { type BenchOptions, type BenchResult, type Check, check, type Measure } from './result.js';
import { retryContests } from './retry-contests.js';
import { spreadOf } from './statistics.js';

const sizes = [10, 100, 1_000] as const;
const mostLoad = 1.12;

/**
 * Measures what clients load a downstream with that fails, with a retry budget that they share through PostgreSQL
 * beside one each; and what one decision costs beside limiters. The load is measured where this machine has a
 * PostgreSQL.
 */
export async function benchFleet(options: BenchOptions): Promise<BenchResult> {
  const { quick, log } = options;
  const { measures, checks, missing } = await measureLoads(options);
  const scale = quick ? { rounds: 5, times: 2_000 } : { rounds: 15, times: 5_000 };
  for (const contest of retryContests()) {
    log(`(f) ${contest.name}`);
    measures.push(...(await measureContest(contest, scale)));
  }
  return {
    id: 'f',
    title: 'retry budgets: the load of a fleet, and one decision beside limiters',
    measures,
    checks,
    notes: [
      ...(missing === undefined ? [] : [`The load is not measured. ${missing}`]),
      'Load: attempts for each call, at 100 calls/s in all and 50 % failures with three retries, once 100 attempts',
      'were sent; the clients, each with a budget of its own, run in four processes, both sides at once.',
      'A decision is the count of a call and the decision about its retry; the others count no calls.',
    ],
  };
}

type Loads = {
  readonly measures: Measure[];
  readonly checks: readonly Check[];
  readonly missing?: string;
};

async function measureLoads({ quick, log }: BenchOptions): Promise<Loads> {
  const postgres = await findPostgres();
  if ('missing' in postgres) {
    log(`(f) without PostgreSQL: ${postgres.missing}`);
    return { measures: [], checks: [], missing: postgres.missing };
  }
  const measures: Measure[] = [];
  const checks: Check[] = [];
  try {
    for (const clients of sizes) {
      const seconds = quick ? 2 : 30;
      log(`(f) the load of ${clients} clients, ${seconds} s`);
      const connectionString = await postgres.createDatabase();
      const { fleet, alone, fallbacks } = await measureFleet({
        connectionString,
        clients,
        seconds,
      });
      const name = `load of ${clients} clients`;
      measures.push(
        { name: `${name}, a budget for the fleet`, unit: 'times', ...spreadOf([fleet]) },
        { name: `${name}, a budget each`, unit: 'times', ...spreadOf([alone]) },
        { name: `${name}: found the store silent`, unit: 'times', ...spreadOf([fallbacks]) },
      );
      checks.push(
        check({ name: `${name} that share`, value: fleet, rule: 'at most', limit: mostLoad }),
      );
    }
  } finally {
    await postgres.stop();
  }
  return { measures, checks };
}
