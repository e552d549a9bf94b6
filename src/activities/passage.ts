import type { Context } from '@temporalio/activity';
import { type AttemptEffects, type AttemptEnd, attemptEnds } from '../budget/attempt-ends.js';
import type { CallHeader } from '../contract/call-header.js';
import type { Bulkhead } from '../limits/bulkhead.js';
import { LimitExceededError, LimiterUnavailableError } from '../limits/limit-errors.js';
import type { Admission, LimitKey, Reservation } from '../limits/limiter.js';
import type { RetryBudget, RetryDecision, SentCall } from '../limits/retry-budget.js';
import type { Recorder } from '../telemetry/recorder.js';
import { logVerdict } from './attempt-log.js';
import type { DecidedRetries } from './decided-retries.js';
import type { TokenLimit } from './implement-tool.js';
import type { LimiterWatch } from './limiter-watch.js';
import { limitExceeded } from './refused-attempt.js';
import { WaitError } from './wait-error.js';

/** An attempt as the guard sees it. */
export type GuardedAttempt = {
  readonly context: Context;
  readonly header: CallHeader;
  /** Number of the attempt over all workers and reschedules, from 1. */
  readonly attempt: number;
};

/** What a passage asks and tells. */
export type PassageParts = {
  readonly bulkhead: Bulkhead;
  readonly limiter: LimiterWatch;
  readonly retryBudget: RetryBudget;
  readonly decided: DecidedRetries;
  /** The charge of the retry that this attempt is, where this worker decided about it. */
  readonly charge: RetryDecision | undefined;
  readonly tellBreaker: (end: Exclude<AttemptEffects['workerBreaker'], 'nothing'>) => void;
  readonly random: () => number;
  readonly now: () => number;
  readonly measure: Recorder;
};

/** What an attempt asks the limiter with. */
export type Asked = {
  /** Tokens that it is expected to use; asked only where they are limited. */
  readonly expectedTokens: (limit: TokenLimit) => Promise<number>;
  /** The place in the limiter's queue that an earlier wait was given. */
  readonly ticket: string | undefined;
  readonly timeLeftMs: number;
  /** Milliseconds to the task's deadline: past it nobody comes back for a place. */
  readonly taskTimeLeftMs: number;
  readonly signal: AbortSignal;
};

/** What is known of an attempt that has ended. */
export type PassageEnd = {
  readonly end: AttemptEnd;
  /** Tokens that it used, as far as anybody said. */
  readonly tokens: number;
  /** True where it is proven that nothing left this worker. */
  readonly isUnsent: boolean;
};

const LONGEST_WAIT_MS = 3_000;
/** The rest of the attempt's time is for its work. */
const SHARE_OF_TIME = 4;
const BULKHEAD_WAIT_MS = 1_000;

/** The way of one attempt past the breaker that let it in: its place, its reservation, its count as a call. */
export class Passage {
  private leave: (() => void) | undefined;
  private reserved: { readonly reservation: Reservation; readonly tokens: number } | undefined;
  private sent: SentCall | undefined;
  private hasEnded = false;

  constructor(
    private readonly attempt: GuardedAttempt,
    private readonly parts: PassageParts,
  ) {}

  /**
   * Takes a place in the bulkhead and what the limiter admits, where the policy limits the downstream.
   * @throws WaitError where there is no room within a few seconds
   * @throws RefusedAttemptError for what no limit ever admits
   */
  async admit(asked: Asked): Promise<void> {
    this.takePlace();
    await this.reserve(asked);
  }

  /** Counts the attempt as a call: from here on something may have been sent. */
  begin(): void {
    this.sent = this.parts.retryBudget.callSent(this.ratioKey);
    this.measureFlight(1);
  }

  /** Tells everything that counts how the attempt ended; the first end holds. */
  end({ end, tokens, isUnsent }: PassageEnd): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const { workerBreaker, ratioWindow } = attemptEnds[end];
    this.leave?.();
    if (this.sent !== undefined) this.measureFlight(-1);
    // An end that says nothing gives its admission back all the same: it may have been the probe.
    this.parts.tellBreaker(workerBreaker === 'nothing' ? 'neutral' : workerBreaker);
    if (ratioWindow === 'nothing') this.sent?.takeBack();
    if (this.sent === undefined && GIVEN_UP.has(end)) this.parts.charge?.refund();
    this.closeReservation({ end, tokens, isUnsent });
  }

  /** Ends the passage of an attempt whose end comes by another way: it stays a call, and its room is free again. */
  handOver(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.leave?.();
    if (this.sent !== undefined) this.measureFlight(-1);
    this.parts.tellBreaker('neutral');
  }

  /** Tells whether the downstream's retry budget has room for one more; it is charged at once. */
  async allowsRetry(dueInMs: number): Promise<boolean> {
    const { retryBudget, decided } = this.parts;
    const decision = await retryBudget.decide(this.ratioKey, { dueInMs });
    if (decision.allowed) decided.remember(this.attempt.context.info, decision);
    return decision.allowed || !this.enforces('retry-budget');
  }

  private measureFlight(by: 1 | -1): void {
    const { downstream } = this.attempt.header;
    this.parts.measure('holdfast_calls_in_flight', { downstream }, by);
  }

  private get limitKey(): LimitKey {
    const { downstream, tenant } = this.attempt.header;
    return tenant === undefined ? { downstream } : { downstream, tenant };
  }

  private get ratioKey(): Parameters<RetryBudget['callSent']>[0] {
    return { ...this.limitKey, ratio: this.attempt.header.ratio };
  }

  private takePlace(): void {
    const { downstream, limits } = this.attempt.header;
    if (limits.maxConcurrent === undefined) return;
    this.leave = this.parts.bulkhead.tryEnter(downstream, limits.maxConcurrent);
    if (this.leave !== undefined || !this.enforces('bulkhead')) return;
    throw new WaitError(BULKHEAD_WAIT_MS * (0.5 + this.parts.random()), 'bulkhead');
  }

  private async reserve({ expectedTokens, ticket, signal, ...time }: Asked): Promise<void> {
    const { limits, mode } = this.attempt.header;
    const { requestsPerMinute, tokensPerMinute, pace } = limits;
    if (requestsPerMinute === undefined && tokensPerMinute === undefined) return;
    const tokens = tokensPerMinute === undefined ? 0 : await expectedTokens({ tokensPerMinute });
    // Where the gate only looks on, nobody waits, and a cancellation is the user's own code's to notice.
    const patience =
      mode === 'on'
        ? {
            signal,
            maxWaitMs: Math.min(LONGEST_WAIT_MS, time.timeLeftMs / SHARE_OF_TIME),
            comesBackWithinMs: Math.max(0, time.taskTimeLeftMs),
          }
        : { maxWaitMs: 0, comesBackWithinMs: 0 };
    const figures = { requestsPerMinute, tokensPerMinute, pace };
    const request = { key: this.limitKey, figures, tokens, ticket, ...patience };
    const askedAt = this.parts.now();
    const admission = await this.asked(request);
    const { downstream } = this.attempt.header;
    const waitedMs = Math.max(0, this.parts.now() - askedAt);
    this.parts.measure('holdfast_limiter_wait_milliseconds', { downstream }, waitedMs);
    if (admission?.kind === 'admitted') {
      this.reserved = { reservation: admission.reservation, tokens };
    }
    if (admission?.kind === 'later' && this.enforces('limiter')) {
      throw new WaitError(admission.waitMs, 'limiter', false, admission.ticket);
    }
  }

  /** A limiter that gives no answer stops no work: the attempt goes on without a limit. */
  private async asked(
    request: Parameters<LimiterWatch['admit']>[0],
  ): Promise<Admission | undefined> {
    try {
      return await this.parts.limiter.admit(request, this.attempt.context.log);
    } catch (error) {
      if (error instanceof LimiterUnavailableError) return undefined;
      if (!(error instanceof LimitExceededError)) throw error;
      if (this.enforces('limit-exceeded')) throw limitExceeded(error.message);
      return undefined;
    }
  }

  /** Where the gate only looks on, it says what it would do. */
  private enforces(reason: string): boolean {
    const { context, header, attempt } = this.attempt;
    if (header.mode === 'on') return true;
    logVerdict({ context, header }, { attempt, decision: 'would-refuse', reason });
    return false;
  }

  private closeReservation({ end, tokens, isUnsent }: PassageEnd): void {
    if (this.reserved === undefined) return;
    const { reservation, tokens: expected } = this.reserved;
    const { log } = this.attempt.context;
    if (this.sent === undefined || isUnsent) {
      this.parts.limiter.tell(() => reservation.release(), log);
      return;
    }
    // Of a failure nobody knows for certain what the downstream has counted: it is more than was reserved, or that.
    const isKnown = end === 'success' ? tokens > 0 : tokens > expected;
    if (isKnown) this.parts.limiter.tell(() => reservation.settle(Math.ceil(tokens)), log);
  }
}

/** Ends before which a decided retry was not sent, and will not be. */
const GIVEN_UP: ReadonlySet<AttemptEnd> = new Set(['refused', 'replayed', 'cancelled']);
