import { assertNever } from '../budget/assert-never.js';
import type { CallHeader, SettlementOrder } from '../contract/call-header.js';
import type {
  ClaimAnswer,
  ClaimRequest,
  EffectOrigin,
  Ledger,
  RecordedEnd,
  Resolution,
} from '../ledger/ledger.js';
import { LedgerUnavailableError } from '../ledger/ledger-errors.js';
import { EffectHold } from './effect-hold.js';
import { keepableResult, keptValue } from './effect-result.js';
import {
  approvalRequired,
  effectNotDone,
  effectUnknown,
  idempotencyConflict,
  refusalReplayed,
} from './ledger-end-error.js';
import { unlessUnavailable } from './ledger-patience.js';
import { WaitError } from './wait-error.js';

/** What a probe says of an effect that nobody knew of (R7). */
export type Reconciled =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'not-done' }
  | { readonly kind: 'unknown' };

/** The header of a write that the ledger answers for. */
export type ClaimedHeader = CallHeader & { readonly key: string; readonly fingerprint: string };

/** What an attempt at a write asks the ledger with. */
export type EffectAttempt = {
  readonly ledger: Ledger;
  readonly header: ClaimedHeader;
  readonly origin: EffectOrigin;
  /** Names this attempt, and only it. */
  readonly owner: string;
  /** Milliseconds that the attempt may take at most. */
  readonly attemptTimeoutMs: number;
  readonly timeLeftMs: () => number;
  /** Asks the downstream whether the effect has happened, where the tool can. */
  readonly probe: (() => Promise<Reconciled>) | undefined;
  /** Whether the call has an attempt left; without one it is only probed. */
  readonly mayRun: boolean;
  readonly settlement: { readonly order: SettlementOrder; readonly result: unknown } | undefined;
};

/** The right to cause an effect, or the end that it has had already. */
export type ClaimedEffect =
  | {
      readonly kind: 'held';
      readonly hold: EffectHold;
      /** Whether no earlier attempt can have caused the effect. */
      readonly provenNotDone: boolean;
    }
  | { readonly kind: 'replayed'; readonly value: unknown; readonly argumentsDiffer: boolean };

/** What a lease has beyond the attempt's own timeout, for whatever is still on its way (R8). */
const LEASE_MARGIN_MS = 5_000;
const LATE_WAIT_MS = 1_000;

/**
 * Takes the claim of a write before anything is sent.
 * @throws WaitError while another attempt holds it, or while the ledger gives no answer
 * @throws LedgerEndError where the call has had its end, or where nobody knows it
 */
export async function claimEffect(attempt: EffectAttempt): Promise<ClaimedEffect> {
  await applySettlement(attempt);
  // Nobody waits for a claim any more once the attempt is over: nothing is asked for or released then.
  if (attempt.timeLeftMs() <= 0) throw new WaitError(LATE_WAIT_MS, 'ledger');
  const answer = await askForClaim(attempt);
  if (answer.kind === 'claimed' && !attempt.mayRun) {
    await unlessUnavailable(() => attempt.ledger.settle(answer.claim, { kind: 'released' }));
    throw effectNotDone(attempt.origin.tool);
  }
  if (answer.kind !== 'unknown') return takeAnswer(attempt, answer);
  const { ledger, header, origin } = attempt;
  const claim = { key: header.key, epoch: answer.epoch };
  const probed = await attempt.probe?.();
  switch (probed?.kind) {
    case 'done': {
      const effect = keepableResult(header, { tool: origin.tool, value: probed.value });
      await unlessUnavailable(() => ledger.settle(claim, { kind: 'done', effect }));
      return { kind: 'replayed', value: keptValue(effect), argumentsDiffer: false };
    }
    case 'not-done':
      // What is still on its way may land until the lease has run out: only then a "no" is one.
      if (answer.leaseLeftMs > 0) throw new WaitError(answer.leaseLeftMs, 'probe', true);
      await unlessUnavailable(() => ledger.settle(claim, { kind: 'released' }));
      if (!attempt.mayRun) throw effectNotDone(origin.tool);
      return takeAnswer(attempt, await askForClaim(attempt));
    default:
      throw effectUnknown(origin.tool, answer.reason);
  }
}

function leaseOf({ attemptTimeoutMs }: EffectAttempt): number {
  return Math.ceil(attemptTimeoutMs + LEASE_MARGIN_MS);
}

function askForClaim(attempt: EffectAttempt): Promise<ClaimAnswer> {
  const { ledger, header, origin, owner, mayRun } = attempt;
  const request: ClaimRequest = {
    key: header.key,
    fingerprint: header.fingerprint,
    ownIdentity: header.ownIdentity,
    owner,
    leaseMs: leaseOf(attempt),
    onUnknown: header.effect === 'idempotent-write' && mayRun ? 'resend' : 'report',
    // What is claimed within the window may be sent as late as the attempt lasts (R9).
    keyWindowMs: Math.max(1, Math.floor(header.keyWindowMs - attempt.attemptTimeoutMs)),
    ...(header.approval === null ? {} : { approval: header.approval.id }),
    about: origin,
  };
  return unlessUnavailable(() => twice(() => ledger.claim(request)));
}

/** An answer that was lost may have been a yes, which is given again to this very attempt and to no other. */
async function twice<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof LedgerUnavailableError)) throw error;
    return ask();
  }
}

function takeAnswer(attempt: EffectAttempt, answer: ClaimAnswer): ClaimedEffect {
  const { header, origin } = attempt;
  switch (answer.kind) {
    case 'claimed': {
      const hold = new EffectHold({ attempt, ...answer, leaseMs: leaseOf(attempt) });
      return { kind: 'held', hold, provenNotDone: !answer.reclaimed };
    }
    case 'replayed':
      return {
        kind: 'replayed',
        value: endValue(answer.end),
        argumentsDiffer: answer.argumentsDiffer,
      };
    case 'in-progress':
      // Its holder may be causing the effect just now, and this call may wait until its deadline.
      throw new WaitError(answer.waitMs, 'claim', true);
    case 'conflict':
      throw idempotencyConflict(origin.tool, header.key);
    case 'approval-consumed':
      throw approvalRequired(origin.tool, 'another call has consumed the one that it carries');
    case 'unknown':
      throw effectUnknown(origin.tool, answer.reason);
    default:
      return assertNever(answer);
  }
}

function endValue(end: RecordedEnd): unknown {
  if (end.kind === 'refused') throw refusalReplayed(end.failure);
  return keptValue(end.effect);
}

/** Writes what a person knows; what has been settled meanwhile stays as it is. */
async function applySettlement({ ledger, header, settlement }: EffectAttempt): Promise<void> {
  if (settlement === undefined) return;
  const { done, by, note } = settlement.order;
  const end: Resolution['end'] = done
    ? { kind: 'done', result: settlement.result }
    : { kind: 'not-done' };
  await unlessUnavailable(() => ledger.resolve(header.key, { end, by, note }));
}
