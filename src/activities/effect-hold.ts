import { longestDelayMs } from '../budget/backoff.js';
import type { HeldClaim, Ledger, SettledEnd } from '../ledger/ledger.js';
import { LedgerUnavailableError } from '../ledger/ledger-errors.js';
import type { EffectAttempt } from './effect-claim.js';
import { keepableResult } from './effect-result.js';
import { resultNotKept } from './ledger-end-error.js';
import { persistently, unlessUnavailable } from './ledger-patience.js';
import { WaitError } from './wait-error.js';

/** How an attempt ended that caused no effect for certain, or perhaps did. */
export type FailedEnd = Extract<SettledEnd, { kind: 'released' | 'refused' | 'unknown' }>;

const RENEWALS_PER_LEASE = 3;
const TAKEN_OVER_WAIT_MS = 1_000;

/** A claim in an attempt's hands, until it says how the effect ended. */
export class EffectHold {
  private readonly ledger: Ledger;
  private readonly claim: HeldClaim;
  /** Whether an earlier attempt may have caused the effect already. */
  private readonly reclaimed: boolean;
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly held: {
      readonly attempt: EffectAttempt;
      readonly claim: HeldClaim;
      readonly reclaimed: boolean;
      readonly leaseMs: number;
    },
  ) {
    this.ledger = held.attempt.ledger;
    this.claim = held.claim;
    this.reclaimed = held.reclaimed;
  }

  /**
   * Keeps the result of the effect and returns it.
   * @throws WaitError where the ledger gave no answer as long as the attempt had time, or where another attempt
   * has taken over: either way the effect is unknown until the next attempt has asked
   * @throws LedgerEndError where the result can't be kept
   */
  async succeed(value: unknown): Promise<unknown> {
    const { header, origin, timeLeftMs } = this.held.attempt;
    const effect = keepableResult(header, { tool: origin.tool, value });
    const settle = (): Promise<'settled' | 'stale'> => this.settle({ kind: 'done', effect });
    const answer = await unlessUnavailable(() => persistently(settle, timeLeftMs), true);
    if (answer === 'stale') throw new WaitError(TAKEN_OVER_WAIT_MS, 'claim', true);
    if (effect.kind === 'no-result') throw resultNotKept(effect.failure);
    return value;
  }

  /** Writes how the attempt failed; without an answer of the ledger the lease runs out, which is `unknown`. */
  async fail(end: FailedEnd): Promise<void> {
    // That this attempt was refused doesn't prove that the one before had no effect.
    const isOpen = end.kind === 'released' && this.reclaimed;
    const reason = 'an earlier attempt may have caused it, and this one was refused';
    const written: SettledEnd = isOpen ? { kind: 'unknown', reason } : end;
    await persistently(() => this.settle(written), this.held.attempt.timeLeftMs).catch(
      (error: unknown) => {
        if (!(error instanceof LedgerUnavailableError)) throw error;
      },
    );
  }

  /** Writes what work that outlived its attempt came to: better late than unknown. */
  watchLate(work: Promise<unknown>): void {
    const { header, origin } = this.held.attempt;
    const late = work.then((value) => {
      const effect = keepableResult(header, { tool: origin.tool, value });
      return this.settle({ kind: 'done', effect });
    });
    late.catch(() => {}); // it failed, or the ledger did: the effect stays unknown, as it was written
  }

  /** Lengthens the lease while the attempt works; `onLost` hears that another attempt has taken over. */
  startRenewing(onLost: () => void): void {
    const { leaseMs } = this.held;
    const renew = async (): Promise<void> => {
      const isOurs = await this.ledger.renew(this.claim, leaseMs);
      if (!isOurs) onLost();
    };
    this.renewal = setInterval(
      () => {
        renew().catch(() => {}); // the lease outlasts the attempt all the same; the settle will say what is wrong
      },
      Math.min(longestDelayMs, leaseMs / RENEWALS_PER_LEASE),
    );
    this.renewal.unref();
  }

  stopRenewing(): void {
    clearInterval(this.renewal);
  }

  private settle(end: SettledEnd): Promise<'settled' | 'stale'> {
    return this.ledger.settle(this.claim, end);
  }
}
