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

/** Opens the store by which the workers of a fleet share limits and retry budget. */
export async function fleetCheck(fleet: string): Promise<Check> {
  const check = 'fleet store';
  const { openPostgresDatabase } = await import('../../database/postgres.js');
  const { fleetSchema } = await import('../../limits/fleet-schema.js');
  try {
    const database = await openPostgresDatabase(
      { connectionString: fleet, maxConnections: 1, mustExist: true },
      fleetSchema,
    );
    await database.close();
    return { check, state: 'ok', found: 'answers' };
  } catch (error) {
    const advice =
      'Each worker falls back to limits and a retry budget of its own: name the store that the workers use by --fleet.';
    return { check, state: 'fault', found: `can't be used: ${reasonOf(error)}`, advice };
  }
}
