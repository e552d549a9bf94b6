import { readDatabaseAddress } from '../../database/address.js';
import type { StoreSchema } from '../../database/database.js';
import { ledgerDefaults } from '../../ledger/options.js';
import { withLedger } from '../open-ledger.js';
import { type Check, durationText, reasonOf } from './check.js';

const UNKNOWN_COUNTED = 100;

/** Opens the ledger, and compares how long it remembers with how long workflows are kept. */
export async function ledgerCheck(options: {
  readonly ledger: string;
  readonly retentionMs?: number | undefined;
  /** Milliseconds that the namespace keeps workflows; undefined where nobody knows. */
  readonly workflowsMs: number | undefined;
}): Promise<Check> {
  const { ledger, workflowsMs, retentionMs = ledgerDefaults.retentionMs } = options;
  const check = 'ledger';
  try {
    const unknown = { state: 'unknown', limit: UNKNOWN_COUNTED } as const;
    const { entries, next } = await withLedger({ ledger }, (opened) => opened.list(unknown));
    const more = next === null ? '' : ' or more';
    const found = `answers; ${entries.length}${more} effects wait for somebody who knows (ledger list --state unknown)`;
    if (workflowsMs === undefined || retentionMs >= workflowsMs) {
      return { check, state: 'ok', found };
    }
    const kept = `${durationText(retentionMs)}, and the namespace its workflows for ${durationText(workflowsMs)}`;
    return {
      check,
      state: 'fault',
      found: `keeps effects for ${kept}`,
      advice:
        "Workers refuse to start so: a workflow's reset would cause its effects again. Open their ledger with a " +
        'longer retentionMs (and say so here by --retention-days).',
    };
  } catch (error) {
    const advice = 'Workers with writes need it: name the one that they use by --ledger.';
    return { check, state: 'fault', found: `can't be used: ${reasonOf(error)}`, advice };
  }
}

/** Opens what the workers of a fleet share: their limits, and the counts of their retry budget. */
export async function fleetCheck(fleet: string): Promise<Check> {
  const check = 'fleet store';
  const address = readDatabaseAddress(fleet);
  if (address.kind !== 'postgres') {
    const found = "can't be used: it must be postgres://user:password@host/database";
    return {
      check,
      state: 'fault',
      found,
      advice: 'Name the store that the workers use by --fleet.',
    };
  }
  const [{ limiterSchema }, { fleetSchema }] = await Promise.all([
    import('../../limits/limiter-schema.js'),
    import('../../limits/fleet-schema.js'),
  ]);
  const schemas = [limiterSchema, fleetSchema];
  const reasons: string[] = [];
  for (const schema of schemas) {
    await opened(address.connectionString, schema).catch((error: unknown) => {
      reasons.push(reasonOf(error));
    });
  }
  if (reasons.length === 0) {
    return { check, state: 'ok', found: 'answers, with limits and a retry budget for all' };
  }
  const found = `can't be used: ${[...new Set(reasons)].join('; ')}`;
  const advice =
    'What is missing here each worker has for itself: name the store that the workers use by --fleet, and give them ' +
    'both `limiter` and `retryBudget` (`holdfast worker --fleet` does).';
  return { check, state: reasons.length < schemas.length ? 'warning' : 'fault', found, advice };
}

async function opened(connectionString: string, schema: StoreSchema): Promise<void> {
  const { openPostgresDatabase } = await import('../../database/postgres.js');
  const access = { connectionString, maxConnections: 1, mustExist: true };
  const database = await openPostgresDatabase(access, schema);
  await database.close();
}
