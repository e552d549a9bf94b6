import { type RawBuilder, sql } from 'kysely';
import { type PlaceOf, prepareStatement, type StatementValues } from '../database/statement.js';
import { isHeld, isLost, type LedgerDatabase } from './database.js';
import { type ReadRow, toEntry } from './entry.js';
import type { ClaimAnswer, ClaimRequest } from './ledger.js';
import { toStoredText } from './stored-json.js';

/** How often a key that others take and release between statement and reading is asked for again. */
const mostTries = 20;

/** Returns what takes the right to cause an effect, or says why not (R3 to R9, R13). */
export function createClaim(
  store: LedgerDatabase,
): (request: ClaimRequest) => Promise<ClaimAnswer> {
  const take = { resend: prepareTake(store, 'resend'), report: prepareTake(store, 'report') };
  return async (request) => {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const answer = (await take[request.onUnknown](request)) ?? (await whyNot(store, request));
      if (answer !== undefined) return answer;
    }
    return { kind: 'in-progress', waitMs: 1 };
  };
}

/** Prepares one atomic, conditional insert; it answers undefined where its condition does not hold. */
function prepareTake(
  store: LedgerDatabase,
  onUnknown: ClaimRequest['onUnknown'],
): (request: ClaimRequest) => Promise<ClaimAnswer | undefined> {
  const { now } = store;
  const isReleased = sql<boolean>`(holdfast_effects.state = 'released'
    and holdfast_effects.lease_until <= ${now})`;
  const isOwn = sql<boolean>`(${isHeld(store)} and holdfast_effects.owner = excluded.owner)`;
  const insert = prepareStatement(store, (place: PlaceOf<TakeValues>) => {
    const mayResend =
      onUnknown === 'resend' ? isResendable(store, place('keyWindowMs')) : sql<boolean>`false`;
    return store.db
      .insertInto('holdfast_effects')
      .values({
        key: place('key'),
        fingerprint: place('fingerprint'),
        state: 'claimed',
        epoch: 1,
        owner: place('owner'),
        reclaimed: 0,
        approval: place('approval'),
        namespace: place('namespace'),
        workflow_id: place('workflowId'),
        run_id: place('runId'),
        tool: place('tool'),
        downstream: place('downstream'),
        tenant: place('tenant'),
        lease_until: sql`${now} + ${place('leaseMs')}`,
        first_claimed_at: now,
        claimed_at: now,
        stale_settles: 0,
      })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet({
            fingerprint: sql`excluded.fingerprint`,
            state: 'claimed',
            epoch: sql`case when ${isOwn} then holdfast_effects.epoch else holdfast_effects.epoch + 1 end`,
            owner: sql`excluded.owner`,
            reclaimed: sql`case
              when ${isOwn} then holdfast_effects.reclaimed when ${isReleased} then 0 else 1 end`,
            approval: sql`case
              when ${isReleased} then excluded.approval
              else coalesce(holdfast_effects.approval, excluded.approval) end`,
            namespace: sql`excluded.namespace`,
            workflow_id: sql`excluded.workflow_id`,
            run_id: sql`excluded.run_id`,
            tool: sql`excluded.tool`,
            downstream: sql`excluded.downstream`,
            tenant: sql`excluded.tenant`,
            lease_until: sql`case
              when ${isOwn} and holdfast_effects.lease_until > excluded.lease_until
              then holdfast_effects.lease_until else excluded.lease_until end`,
            first_claimed_at: sql`case
              when ${isReleased} then ${now} else holdfast_effects.first_claimed_at end`,
            claimed_at: sql`case when ${isOwn} then holdfast_effects.claimed_at else ${now} end`,
            settled_at: null,
            settled_by: null,
            note: null,
            reason: null,
            ending: null,
          })
          .where(sql<boolean>`(
            ${isReleased}
            or (
              holdfast_effects.fingerprint = excluded.fingerprint
              and (${isOwn} or ${mayResend})
            )
          )`),
      )
      .returning(['epoch', 'reclaimed']);
  });

  return async (request) => {
    try {
      const [row] = (await insert(toTakeValues(request))).rows;
      if (row === undefined) return undefined;
      const claim = { key: request.key, epoch: row.epoch };
      return { kind: 'claimed', claim, reclaimed: row.reclaimed === 1 };
    } catch (error) {
      if (!store.isApprovalTaken(error)) throw error;
      return (await isOwnApproval(store, request)) ? undefined : { kind: 'approval-consumed' };
    }
  };
}

/**
 * Tells whether it was another claim of the same key that took the approval: of two at the same moment PostgreSQL
 * may refuse one by the approval's index before it finds the conflict of their key.
 */
async function isOwnApproval(
  { db }: LedgerDatabase,
  { key, approval }: ClaimRequest,
): Promise<boolean> {
  const own = db.selectFrom('holdfast_effects').select('approval').where('key', '=', key);
  return (await own.executeTakeFirst())?.approval === approval;
}

type TakeValues = ReturnType<typeof toTakeValues>;

function toTakeValues({ about, ...request }: ClaimRequest) {
  return {
    key: request.key,
    fingerprint: request.fingerprint,
    owner: request.owner,
    approval: request.approval ?? null,
    leaseMs: request.leaseMs,
    keyWindowMs: request.keyWindowMs,
    namespace: toStoredText(about.namespace),
    workflowId: toStoredText(about.workflowId),
    runId: toStoredText(about.runId),
    tool: toStoredText(about.tool),
    downstream: toStoredText(about.downstream),
    tenant: about.tenant === undefined ? null : toStoredText(about.tenant),
  } satisfies StatementValues;
}

/** SQL: an effect of which nobody knows may be sent again, since the downstream remembers the key (R7, R9). */
function isResendable(store: LedgerDatabase, windowMs: RawBuilder<number>): RawBuilder<boolean> {
  const isInWindow = sql`${store.now} - holdfast_effects.first_claimed_at < ${windowMs}`;
  return sql`(${isLost(store)} and ${isInWindow})`;
}

/** The reason for which nothing was taken; undefined where the entry has changed since and may be taken. */
async function whyNot(
  store: LedgerDatabase,
  request: ClaimRequest,
): Promise<ClaimAnswer | undefined> {
  const row = await readRow(store, request.key);
  if (row === undefined) return undefined;
  const entry = toEntry(row);
  const leaseLeftMs = Math.max(0, entry.leaseUntil - Number(row.now));
  if (row.state === 'released') {
    // A person's "not done" is for what was there to be seen: a request may be on its way until then.
    return leaseLeftMs === 0 ? undefined : { kind: 'in-progress', waitMs: leaseLeftMs };
  }
  if (row.state === 'undone') return { kind: 'undone', by: row.reason ?? '' };
  const argumentsDiffer = entry.fingerprint !== request.fingerprint;
  if (argumentsDiffer && !request.ownIdentity) return { kind: 'conflict' };
  if (entry.end !== null) {
    const settled = entry.settledBy === null ? {} : { settledBy: entry.settledBy };
    return { kind: 'replayed', end: entry.end, argumentsDiffer, ...settled };
  }

  if (entry.state === 'claimed') {
    const isOwn = row.owner === request.owner && !argumentsDiffer;
    return isOwn ? undefined : { kind: 'in-progress', waitMs: leaseLeftMs };
  }
  const isInWindow = Number(row.now) - entry.firstClaimedAt < request.keyWindowMs;
  if (request.onUnknown === 'resend' && isInWindow && !argumentsDiffer) return undefined;
  return { kind: 'unknown', epoch: entry.epoch, reason: entry.reason ?? '', leaseLeftMs };
}

/** Reads one entry and the time of reading in one statement. */
export function readRow(store: LedgerDatabase, key: string): Promise<ReadRow | undefined> {
  return store.db
    .selectFrom('holdfast_effects')
    .selectAll()
    .select(store.now.as('now'))
    .where('key', '=', key)
    .executeTakeFirst();
}
