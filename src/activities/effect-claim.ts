import { assertNever } from '../budget/assert-never.js';
import type { CallHeader, SettlementOrder } from '../contract/call-header.js';
import type {
  ClaimAnswer,
  ClaimRequest,
  EffectOrigin,
  Ledger,
  Resolution,
} from '../ledger/ledger.js';
import { LedgerUnavailableError } from '../ledger/ledger-errors.js';
import { EffectHold } from './effect-hold.js';
import { keepableResult, keptValue } from './effect-result.js';
import {
  approvalRequired,
  effectNotDone,
  effectUndone,
  effectUnknown,
  idempotencyConflict,
  refusalReplayed,
  resultNotKept,
} from './ledger-end-error.js';
import { unlessUnavailable } from './ledger-patience.js';
import { InvalidAnswerError } from './tool-answer.js';
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
  /** Hears each of the ledger's verdicts. */
  readonly onVerdict: (verdict: LedgerVerdictName) => void;
  /** Checks what a person gave as the result; a plain activity's results have no schema. */
  readonly checkResult: ((result: unknown) => Promise<unknown>) | undefined;
};

/** A verdict of the ledger; `reclaimed` where an earlier attempt may have caused the effect. */
export type LedgerVerdictName = ClaimAnswer['kind'] | 'reclaimed';

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
  const refusedWord = await applySettlement(attempt);
  // Nobody waits for a claim any more once the attempt is over: nothing is asked for or released then.
  if (attempt.timeLeftMs() <= 0) throw new WaitError(LATE_WAIT_MS, 'ledger');
  const answer = await askForClaim(attempt, refusedWord);
  if (answer.kind === 'claimed' && !attempt.mayRun) {
    await unlessUnavailable(() => attempt.ledger.settle(answer.claim, { kind: 'released' }));
    throw effectNotDone(attempt.origin.tool);
  }
  if (answer.kind !== 'unknown') return takeAnswer(attempt, answer);
  const { ledger, header, origin } = attempt;
  if (refusedWord !== undefined) throw effectUnknown(origin.tool, refusedWord);
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

async function askForClaim(attempt: EffectAttempt, refusedWord?: string): Promise<ClaimAnswer> {
  const { ledger, header, origin, owner, mayRun } = attempt;
  const mayResend = header.effect === 'idempotent-write' && mayRun && refusedWord === undefined;
  const request: ClaimRequest = {
    key: header.key,
    fingerprint: header.fingerprint,
    ownIdentity: header.ownIdentity,
    owner,
    leaseMs: leaseOf(attempt),
    onUnknown: mayResend ? 'resend' : 'report',
    // What is claimed within the window may be sent as late as the attempt lasts (R9).
    keyWindowMs: Math.max(1, Math.floor(header.keyWindowMs - attempt.attemptTimeoutMs)),
    ...(header.approval === null ? {} : { approval: header.approval.id }),
    about: origin,
  };
  const answer = await unlessUnavailable(() => twice(() => ledger.claim(request)));
  const isAgain = answer.kind === 'claimed' && answer.reclaimed;
  attempt.onVerdict(isAgain ? 'reclaimed' : answer.kind);
  return answer;
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

async function takeAnswer(attempt: EffectAttempt, answer: ClaimAnswer): Promise<ClaimedEffect> {
  const { header, origin } = attempt;
  switch (answer.kind) {
    case 'claimed': {
      const hold = new EffectHold({ attempt, ...answer, leaseMs: leaseOf(attempt) });
      return { kind: 'held', hold, provenNotDone: !answer.reclaimed };
    }
    case 'replayed':
      return {
        kind: 'replayed',
        value: await endValue(attempt, answer),
        argumentsDiffer: answer.argumentsDiffer,
      };
    case 'in-progress':
      // Its holder may be causing the effect just now, and this call may wait until its deadline.
      throw new WaitError(answer.waitMs, 'claim', true);
    case 'conflict':
      throw idempotencyConflict(origin.tool, header.key);
    case 'approval-consumed':
      throw approvalRequired(origin.tool, 'another call has consumed the one that it carries');
    case 'undone':
      throw effectUndone(origin.tool, answer.by);
    case 'unknown':
      throw effectUnknown(origin.tool, answer.reason);
    default:
      return assertNever(answer);
  }
}

async function endValue(
  { origin, checkResult }: EffectAttempt,
  { end, settledBy }: Extract<ClaimAnswer, { kind: 'replayed' }>,
): Promise<unknown> {
  if (end.kind === 'refused') throw refusalReplayed(end.failure);
  const value = keptValue(end.effect);
  if (settledBy === undefined || checkResult === undefined) return value;
  try {
    return await checkResult(value);
  } catch (error) {
    if (!(error instanceof InvalidAnswerError)) throw error;
    const message = `${origin.tool} has happened, but the result that ${settledBy} gave for it is none: ${error.message}`;
    throw resultNotKept({ class: 'validation', message });
  }
}

/**
 * Writes what a person knows; what has been settled meanwhile stays as it is. Returns why nothing of it was
 * written, where the result can't be one of the tool's.
 */
async function applySettlement(attempt: EffectAttempt): Promise<string | undefined> {
  const { ledger, header, settlement, checkResult } = attempt;
  if (settlement === undefined) return undefined;
  const { done, by, note } = settlement.order;
  const { result } = settlement;
  const end: Resolution['end'] = done ? { kind: 'done', result } : { kind: 'not-done' };
  try {
    if (done) await checkResult?.(result);
  } catch (error) {
    if (!(error instanceof InvalidAnswerError)) throw error;
    return `the result that ${by} gave for it is none: ${error.message}`;
  }
  await unlessUnavailable(() => ledger.resolve(header.key, { end, by, note }));
  return undefined;
}
