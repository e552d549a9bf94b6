import type { Selectable } from 'kysely';
import type { EffectHappened, StoredFailure } from '../contract/effect-record.js';
import { leaseRanOut } from './database.js';
import type { LedgerEntry, RecordedEnd } from './ledger.js';
import type { EffectsTable } from './schema.js';

/** A row, with the database's time at which it was read. */
export type ReadRow = Selectable<EffectsTable> & { readonly now: number | string };

/** Returns a row as the entry that it is at the time of its reading. */
export function toEntry(row: ReadRow): LedgerEntry {
  const leaseUntil = Number(row.lease_until);
  const hasRunOut = row.state === 'claimed' && leaseUntil <= Number(row.now);
  return {
    key: row.key,
    fingerprint: row.fingerprint,
    state: hasRunOut ? 'unknown' : row.state,
    epoch: row.epoch,
    reason: hasRunOut ? leaseRanOut : row.reason,
    end: toEnd(row),
    approval: row.approval,
    namespace: row.namespace,
    workflowId: row.workflow_id,
    runId: row.run_id,
    tool: row.tool,
    downstream: row.downstream,
    ...(row.tenant === null ? {} : { tenant: row.tenant }),
    leaseUntil,
    firstClaimedAt: Number(row.first_claimed_at),
    claimedAt: Number(row.claimed_at),
    settledAt: row.settled_at === null ? null : Number(row.settled_at),
    settledBy: row.settled_by,
    note: row.note,
    staleSettles: row.stale_settles,
  };
}

/** Both texts were written by settle or resolve, from values of these types. */
function toEnd({ state, ending }: ReadRow): RecordedEnd | null {
  if (ending === null) return null;
  if (state === 'refused') return { kind: state, failure: JSON.parse(ending) as StoredFailure };
  if (state === 'done') return { kind: state, effect: JSON.parse(ending) as EffectHappened };
  return null;
}
