import { type RawBuilder, sql } from 'kysely';
import { isHeld, isLost, type LedgerDatabase } from './database.js';
import { type ReadRow, toEntry } from './entry.js';
import type { ClaimAnswer, ClaimRequest } from './ledger.js';
import { toStoredText } from './stored-json.js';

/** How often a key that others take and release between statement and reading is asked for again. */
const mostTries = 20;

/** Takes the right to cause an effect, or says why not (R3 to R9, R13). */
export async function claim(store: LedgerDatabase, request: ClaimRequest): Promise<ClaimAnswer> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const answer = (await take(store, request)) ?? (await whyNot(store, request));
    if (answer !== undefined) return answer;
  }
  return { kind: 'in-progress', waitMs: 1 };
}

/** One atomic, conditional insert; undefined where its condition does not hold. */
async function take(
  store: LedgerDatabase,
  request: ClaimRequest,
): Promise<ClaimAnswer | undefined> {
  const { now } = store;
  const { key, fingerprint, owner, about } = request;
  const isReleased = sql<boolean>`holdfast_effects.state = 'released'`;
  const isOwn = sql<boolean>`(${isHeld(store)} and holdfast_effects.owner = excluded.owner)`;
  const origin = {
    namespace: toStoredText(about.namespace),
    workflow_id: toStoredText(about.workflowId),
    run_id: toStoredText(about.runId),
    tool: toStoredText(about.tool),
    downstream: toStoredText(about.downstream),
    tenant: about.tenant === undefined ? null : toStoredText(about.tenant),
  };
  try {
    const row = await store.db
      .insertInto('holdfast_effects')
      .values({
        key,
        fingerprint,
        state: 'claimed',
        epoch: 1,
        owner,
        reclaimed: 0,
        approval: request.approval ?? null,
        ...origin,
        lease_until: sql`${now} + ${request.leaseMs}`,
        first_claimed_at: now,
        claimed_at: now,
        stale_settles: 0,
      })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet({
            fingerprint,
            state: 'claimed',
            epoch: sql`case when ${isOwn} then holdfast_effects.epoch else holdfast_effects.epoch + 1 end`,
            owner,
            reclaimed: sql`case
              when ${isOwn} then holdfast_effects.reclaimed when ${isReleased} then 0 else 1 end`,
            approval: sql`case
              when ${isReleased} then excluded.approval
              else coalesce(holdfast_effects.approval, excluded.approval) end`,
            ...origin,
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
              and (${isOwn} or ${mayResend(store, request)})
            )
          )`),
      )
      .returning(['epoch', 'reclaimed'])
      .executeTakeFirst();
    if (row === undefined) return undefined;
    return { kind: 'claimed', claim: { key, epoch: row.epoch }, reclaimed: row.reclaimed === 1 };
  } catch (error) {
    if (store.isApprovalTaken(error)) return { kind: 'approval-consumed' };
    throw error;
  }
}

/** SQL: an effect of which nobody knows may be sent again, since the downstream remembers the key (R7, R9). */
function mayResend(store: LedgerDatabase, request: ClaimRequest): RawBuilder<boolean> {
  if (request.onUnknown === 'report') return sql`false`;
  const isInWindow = sql`${store.now} - holdfast_effects.first_claimed_at < ${request.keyWindowMs}`;
  return sql`(${isLost(store)} and ${isInWindow})`;
}

/** The reason for which `take` took nothing; undefined where the entry has changed since and may be taken. */
async function whyNot(
  store: LedgerDatabase,
  request: ClaimRequest,
): Promise<ClaimAnswer | undefined> {
  const row = await readRow(store, request.key);
  if (row === undefined || row.state === 'released') return undefined;
  const entry = toEntry(row);
  const argumentsDiffer = entry.fingerprint !== request.fingerprint;
  if (argumentsDiffer && !request.ownIdentity) return { kind: 'conflict' };
  if (entry.end !== null) {
    const settled = entry.settledBy === null ? {} : { settledBy: entry.settledBy };
    return { kind: 'replayed', end: entry.end, argumentsDiffer, ...settled };
  }

  const now = Number(row.now);
  const leaseLeftMs = Math.max(0, entry.leaseUntil - now);
  if (entry.state === 'claimed') {
    const isOwn = row.owner === request.owner && !argumentsDiffer;
    return isOwn ? undefined : { kind: 'in-progress', waitMs: leaseLeftMs };
  }
  const isInWindow = now - entry.firstClaimedAt < request.keyWindowMs;
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
