import { type ActivityInput, sleep } from '@temporalio/workflow';
import { assertNever } from '../budget/assert-never.js';
import { backoffDelay } from '../budget/backoff.js';
import { noSums, type Sums, type WaitDetail } from '../contract/call-header.js';
import type { Settlement } from '../contract/messages.js';
import type { Unanswered } from '../contract/outcome.js';
import type { CallLine } from '../contract/run-state.js';
import {
  type Answered,
  type Read,
  readError,
  readResult,
  type Scheduled,
  stripDetail,
} from './attempt-series.js';
import type { Ticket } from './breakers.js';
import { bookEnd, cutShortEnd } from './call-book.js';
import {
  answeredReport,
  callLine,
  failedEnd,
  interruptedEnd,
  notStartedEnd,
  type OpenCall,
  waitedTooLong,
} from './call-end.js';
import { runSettingsOf, settingsOf, stateOf } from './call-plan.js';
import { type Decision, logDecision } from './decisions.js';
import type { GateCall } from './gate-call.js';
import type { RunContext } from './run-context.js';
import { taskTimeLeftMs } from './run-state.js';
import { ownTimeMs, scheduleInput } from './schedule.js';
import { awaitSettlement } from './settlements.js';
import { tokensLeftOf } from './token-allowance.js';
import { lengthened, MAX_WAITS, placeAfter, SHORTEST_WAIT_MS } from './wait-length.js';

type Next = (input: ActivityInput) => Promise<unknown>;

/** An activity as it is scheduled, and what its end is read by. */
type Prepared = { readonly scheduledInput: ActivityInput; readonly scheduled: Scheduled };

/** What failed at its first scheduling, and how to schedule it again. */
type Failed = {
  readonly scheduled: Scheduled;
  readonly input: ActivityInput;
  readonly next: Next;
};

/** A call that was admitted: its schedulings, until it is answered or given up. */
export class GovernedCall {
  private call: OpenCall;
  private sums: Sums = noSums;
  private waits = 0;
  private isBooked = false;
  /** Its place in a limiter's queue. */
  private ticket: string | null = null;
  /** What a person knows of the effect; the next attempt writes it into the ledger. */
  private settlement: Settlement | null = null;
  /** Epoch milliseconds at which the caller's own timeout for all attempts ends. */
  private endsAt = Number.POSITIVE_INFINITY;
  private ownMs = Number.POSITIVE_INFINITY;
  /** A policy that changes while the call runs is for the calls that come after. */
  private readonly mode: 'on' | 'observe';

  constructor(
    private readonly context: RunContext,
    private readonly admitted: {
      readonly gateCall: GateCall;
      readonly ticket: Ticket;
      readonly call: OpenCall;
      /** Whether the ledger decides what becomes of it. */
      readonly isClaimed: boolean;
    },
  ) {
    this.call = admitted.call;
    this.mode = stateOf(context).mode === 'on' ? 'on' : 'observe';
  }

  /** Runs the call to its end, books it, and returns its value or throws its failure. */
  run(input: ActivityInput, next: Next): Promise<unknown> {
    this.context.inFlight += 1;
    try {
      this.ownMs = ownTimeMs(input.options);
      this.endsAt = Date.now() + this.ownMs;
      const { scheduledInput, scheduled } = this.prepare(input);
      // One promise for a call that is answered at once: the SDK takes a stack trace of each promise in a
      // workflow, which costs more than everything else that the gate does.
      return next(scheduledInput).then(
        (value) => this.answer(readResult(value, scheduled)),
        (error: unknown) => this.afterFailure(error, { scheduled, input, next }),
      );
    } catch (fault) {
      throw this.cutShort(fault);
    }
  }

  private answer(end: Answered): unknown {
    try {
      this.bookAnswer(end);
    } catch (fault) {
      throw this.cutShort(fault);
    }
    this.context.inFlight -= 1;
    return end.value;
  }

  private async afterFailure(error: unknown, failed: Failed): Promise<unknown> {
    try {
      const value = await this.untilEnd(readError(error, failed.scheduled), failed);
      this.context.inFlight -= 1;
      return value;
    } catch (thrown) {
      throw this.cutShort(thrown);
    }
  }

  /** Ends the call without an answer: books it where its end hasn't done so. */
  private cutShort(error: unknown): unknown {
    this.context.inFlight -= 1;
    if (!this.isBooked) {
      const end = cutShortEnd(this.call, this.sums, error);
      this.book(end.line, end.sums);
      this.admitted.gateCall.onCut?.(end);
      this.log('cancelled', end.line.kind);
    }
    return error;
  }

  private async untilEnd(first: Read, { input, next }: Failed): Promise<unknown> {
    const { tool } = this.admitted.gateCall;
    for (let read = first; ; read = await this.schedule(input, next)) {
      const { end, error } = read;
      switch (end.kind) {
        case 'answered':
          this.bookAnswer(end);
          return end.value;
        case 'failed':
          await this.settleOrGiveUp(failedEnd(this.call, end), end.sums, error);
          break;
        case 'not-started':
          return this.giveUp(
            notStartedEnd(this.call, { ...end, sums: this.sums }),
            this.sums,
            error,
          );
        case 'interrupted':
          this.sums = { ...end.sums, ambiguous: end.sums.ambiguous || tool.effect !== 'read' };
          if (this.mayReschedule()) await this.pauseAfterInterruption();
          else await this.settleOrGiveUp(this.interruptedEnd(end.message), this.sums, error);
          break;
        case 'waiting':
          this.sums = end.sums;
          if (this.mayWait(end.wait)) await this.wait(end.wait);
          else {
            const late = waitedTooLong(this.call, this.sums, this.waits);
            await this.settleOrGiveUp(late, this.sums, error);
          }
          break;
        default:
          return assertNever(end);
      }
    }
  }

  private async schedule(input: ActivityInput, next: Next): Promise<Read> {
    const { scheduledInput, scheduled } = this.prepare(input);
    try {
      return { end: readResult(await next(scheduledInput), scheduled) };
    } catch (error) {
      const read = readError(error, scheduled);
      // A person's word is for the effect as it stood: once an attempt may have used it, it is used up.
      if (read.end.kind !== 'waiting') this.settlement = null;
      return read;
    }
  }

  /** Waits for a person who knows, where the policy says so; returns once the call is to be scheduled again. */
  private async settleOrGiveUp(end: Unanswered, sums: Sums, error: unknown): Promise<void> {
    const { key, tool, step, call } = this.call;
    const { onUnknown } = settingsOf(this.context, tool).call;
    if (
      end.kind !== 'unknown' ||
      onUnknown !== 'wait' ||
      key === undefined ||
      !this.admitted.isClaimed
    ) {
      return this.giveUp(end, sums, error);
    }
    this.sums = sums; // a cancellation in the wait books, and undoes, what the attempts did
    const reason = end.report.message;
    const settlement = await awaitSettlement(this.context, {
      key,
      callId: String(call),
      tool,
      ...(step === undefined ? {} : { step }),
      reason,
      resultFaults: this.admitted.gateCall.resultFaults,
    });
    if (settlement === undefined) return this.giveUp(end, sums, error);
    this.settlement = settlement;
    this.sums = { ...sums, ambiguous: settlement.done };
    // The caller's own timeout doesn't count the time in which a person found out.
    this.endsAt = Date.now() + this.ownMs;
  }

  private prepare(input: ActivityInput): Prepared {
    const { gateCall } = this.admitted;
    const { tool, adopted, identity, byReference = false } = gateCall;
    const maximumAttempts = Math.max(1, 1 + this.call.share - this.sums.failed.length);
    const scheduledInput = scheduleInput(input, {
      tool,
      settings: settingsOf(this.context, tool),
      mode: this.mode,
      adopted,
      identity,
      tenant: this.context.tenant,
      share: this.call.share,
      before: this.sums,
      maximumAttempts,
      timeLeftMs: Math.max(1, this.timeLeftMs),
      tokensLeft: this.call.tokensLeft ?? tokensLeftOf(this.context),
      maxPayloadBytes: runSettingsOf(this.context).maxPayloadBytes,
      settlement: this.settlement,
      waitsForWrite: this.admitted.isClaimed,
      ticket: this.ticket,
      byReference,
    });
    return { scheduledInput, scheduled: { before: this.sums, maximumAttempts } };
  }

  private get timeLeftMs(): number {
    return Math.min(taskTimeLeftMs(stateOf(this.context), Date.now()), this.endsAt - Date.now());
  }

  /** A lost worker costs the interruption budget; a plain write goes again only where its claim decides. */
  private mayReschedule(): boolean {
    const { tool } = this.admitted.gateCall;
    const state = stateOf(this.context);
    if (this.mode === 'observe' || (tool.effect === 'write' && !this.admitted.isClaimed))
      return false;
    if (state.interruptionsLeft < 1 || this.timeLeftMs < 1) return false;
    return this.call.interruptions < runSettingsOf(this.context).interruptions.perCall;
  }

  private async pauseAfterInterruption(): Promise<void> {
    const { tool } = this.admitted.gateCall;
    const { backoff } = settingsOf(this.context, tool).call;
    const retry = this.call.interruptions;
    this.call = { ...this.call, interruptions: retry + 1 };
    const state = stateOf(this.context);
    this.context.state = { ...state, interruptionsLeft: state.interruptionsLeft - 1 };
    this.log('reschedule', 'interrupted');
    const delayMs = backoffDelay({ ...backoff, jitter: 'full', retry, random: Math.random });
    await sleep(Math.ceil(Math.min(delayMs, this.timeLeftMs)));
  }

  private mayWait(wait: WaitDetail): boolean {
    const { waitMs } = lengthened(wait, this.waits);
    return this.mode !== 'observe' && this.waits < MAX_WAITS && waitMs < this.timeLeftMs;
  }

  private async wait(asked: WaitDetail): Promise<void> {
    const { waitMs, what } = lengthened(asked, this.waits);
    this.waits += 1;
    this.ticket = placeAfter(asked, this.ticket);
    this.log('wait', what);
    await sleep(Math.ceil(Math.max(SHORTEST_WAIT_MS, waitMs)));
  }

  private interruptedEnd(message: string): Unanswered {
    this.call = { ...this.call, interruptions: this.call.interruptions + 1 };
    const { sums, timeLeftMs } = this;
    return interruptedEnd(this.call, { sums, message, isLate: timeLeftMs < 1 });
  }

  private bookAnswer(end: Answered): void {
    const report = answeredReport(this.call, end);
    this.book(callLine('ok', report), end.sums, !end.replayed);
    this.admitted.gateCall.onEnd?.({ kind: 'ok', report });
  }

  private giveUp(end: Unanswered, sums: Sums, error: unknown): never {
    this.book(callLine(end.kind, end.report), sums);
    this.log('give-up', end.report.reason, end.report.attempts);
    this.admitted.gateCall.onEnd?.(end);
    stripDetail(error);
    throw error;
  }

  private book(line: CallLine, sums: Sums, succeeded = false): void {
    this.isBooked = true;
    bookEnd(this.context, this.admitted.ticket, { call: this.call, line, sums, succeeded });
  }

  private log(decision: Decision['decision'], reason: string, attempts?: number): void {
    const attempt = attempts ?? this.sums.failed.length + 1;
    logDecision({ tool: this.admitted.gateCall.tool, attempt, decision, reason });
  }
}
