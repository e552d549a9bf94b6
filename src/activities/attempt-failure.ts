import { CancelledFailure } from '@temporalio/common';
import type { AttemptEnd } from '../budget/attempt-ends.js';
import { errorMessage } from '../budget/error-facts.js';
import { readKey } from '../budget/error-facts-copy.js';
import type { FailureDetail, Sums } from '../contract/call-header.js';
import type { GovernedAttempt } from './attempt-hands.js';
import { logVerdict } from './attempt-log.js';
import { measureVerdict } from './attempt-metrics.js';
import { isShutdown } from './attempt-signal.js';
import { type Usage, withWaste } from './attempt-usage.js';
import type { FailedEnd } from './effect-hold.js';
import {
  attemptFailure,
  cancelledFailure,
  interruptedFailure,
  observedFailure,
  sumsDetail,
  waitFailure,
} from './failure.js';
import { type LedgerEnd, LedgerEndError } from './ledger-end-error.js';
import type { Passage } from './passage.js';
import { RefusedAttemptError, refusalDetail } from './refused-attempt.js';
import { ToolRefusedError } from './tool-answer.js';
import { type FailedAttempt, judge, type Verdict } from './verdict.js';
import { WaitError } from './wait-error.js';

/** A failed attempt, and how far it had come. */
export type AttemptInHand = Pick<
  GovernedAttempt,
  'context' | 'header' | 'slot' | 'tool' | 'measure'
> & {
  /** Whether the ledger's claim is held: a write is then let finish. */
  readonly holds: boolean;
  /** Whether the work had begun: before that nothing was sent. */
  readonly began: boolean;
  /** Whether the tool can be asked what became of a plain write. */
  readonly canProbe: boolean;
  /** Its way past the worker's breaker; undefined where it has not come as far. */
  readonly passage: Passage | undefined;
};

/** What a failed attempt means to Temporal, to the ledger where it holds a claim, and to all that counts. */
export type FailureEnd = {
  readonly failure: Error;
  readonly ledger: FailedEnd | undefined;
  readonly end: AttemptEnd;
  /** True where it is proven that nothing left this worker. */
  readonly isUnsent: boolean;
};

type Failed = Pick<FailedAttempt, 'thrown' | 'before' | 'used' | 'timeLeftMs'>;

/** A probe that fails may be asked again as often, beyond the call's share. */
const PROBES_BEYOND_SHARE = 3;

/** Decides how a failed attempt ends. */
export async function failureEnd(attempt: AttemptInHand, failed: Failed): Promise<FailureEnd> {
  const { thrown } = failed;
  if (isCut(attempt, thrown)) return cutOff(attempt, failed);
  if (thrown instanceof RefusedAttemptError) return refusedEnd(attempt, thrown, failed);
  if (thrown instanceof LedgerEndError) return endedByLedger(attempt, thrown, failed);
  if (thrown instanceof WaitError) return waitEnd(attempt, thrown, failed);
  return judgedEnd(attempt, failed);
}

function refusedEnd(
  attempt: AttemptInHand,
  thrown: RefusedAttemptError,
  { before }: Failed,
): FailureEnd {
  const number = before.failed.length + 1;
  logVerdict(attempt, { attempt: number, decision: 'reject', reason: thrown.kind });
  const detail = refusalDetail(thrown, before);
  const { adopted } = attempt.header;
  return {
    failure: attemptFailure({ thrown, detail, delayMs: undefined, adopted }),
    ledger: { kind: 'released' },
    end: 'refused',
    isUnsent: true,
  };
}

function endedByLedger(
  attempt: AttemptInHand,
  thrown: LedgerEndError,
  { before, used }: Failed,
): FailureEnd {
  const { began, header } = attempt;
  const { kind, message, end } = thrown;
  logVerdict(attempt, { attempt: before.failed.length + 1, decision: 'stop', reason: kind });
  const detail = ledgerEndDetail(end, began ? withAttempt(before, used.usage) : before);
  const { adopted } = header;
  return {
    failure: attemptFailure({ thrown, detail, delayMs: undefined, adopted }),
    ledger: { kind: 'unknown', reason: message },
    end: end.ledger === 'replayed' ? 'replayed' : 'refused',
    isUnsent: !began,
  };
}

function waitEnd(
  attempt: AttemptInHand,
  { what, waitMs, mayHaveHappened, ticket }: WaitError,
  { before, used }: Failed,
): FailureEnd {
  logVerdict(attempt, { attempt: before.failed.length + 1, decision: 'wait', reason: what });
  measureWait(attempt, what);
  const sums = mayHaveHappened ? withWaste({ ...before, ambiguous: true }, used.usage) : before;
  const place = ticket === undefined ? {} : { ticket };
  return {
    failure: waitFailure({ sums, waitMs, what, ...place }),
    ledger: { kind: 'released' },
    end: what === 'limiter' || what === 'bulkhead' ? 'wait-limiter' : 'wait-claim',
    isUnsent: !attempt.began,
  };
}

async function judgedEnd(attempt: AttemptInHand, failed: Failed): Promise<FailureEnd> {
  const { header, began } = attempt;
  const { thrown } = failed;
  const judged = judge({ ...failed, header, began, nowMs: Date.now(), random: Math.random });
  const verdict = await withinRetryBudget(attempt, judged);
  const ledger = ledgerEnd(verdict, thrown);
  const { sums, classification, isUnsent } = verdict;
  const end = began ? classification.class : 'refused';
  if (mustProbe(attempt, verdict)) {
    const waitMs = Math.max(1, verdict.delayMs ?? header.backoff.baseMs);
    logVerdict(attempt, { attempt: sums.failed.length, decision: 'wait', reason: 'probe' });
    measureWait(attempt, 'probe');
    return { failure: waitFailure({ sums, waitMs, what: 'probe' }), ledger, end, isUnsent };
  }
  if (began) measureVerdict(attempt, { thrown, verdict });
  return { failure: judgedFailure(attempt, { thrown, verdict }), ledger, end, isUnsent };
}

function measureWait({ tool, header, measure }: AttemptInHand, what: WaitError['what']): void {
  measure('holdfast_waits_total', { tool, downstream: header.downstream, what });
}

/** Asks the downstream's retry budget last of all: whatever it allows is charged. */
async function withinRetryBudget(attempt: AttemptInHand, verdict: Verdict): Promise<Verdict> {
  const { delayMs } = verdict;
  if (delayMs === undefined || attempt.passage === undefined || !attempt.began) return verdict;
  const isAllowed = await attempt.passage.allowsRetry(delayMs);
  return isAllowed ? verdict : { ...verdict, delayMs: undefined, stop: 'retry-budget' };
}

/** An attempt that did its work is one, whatever the ledger makes of the result; it is neutral to the breaker. */
function withAttempt(before: Sums, usage: Usage): Sums {
  return withWaste({ ...before, failed: `${before.failed}n` }, usage);
}

/** Returns what the gate is told of an attempt that the ledger ended. */
export function ledgerEndDetail(end: LedgerEnd, before: Sums): FailureDetail {
  return {
    $holdfast: 1,
    sums: { ...before, ambiguous: end.mayHaveHappened ?? before.ambiguous },
    class: end.class,
    fallback: false,
    retryable: end.retryable ?? false,
    retryAfterMs: null,
    stop: end.stop,
    ...(end.ledger === undefined ? {} : { ledger: end.ledger }),
  };
}

/** What the ledger keeps of a failed attempt (spec, section 5: the ledger's column). */
function ledgerEnd({ classification, mayHaveHappened }: Verdict, thrown: unknown): FailedEnd {
  const message = errorMessage(thrown);
  if (!classification.retryable && isFinal(thrown)) {
    return { kind: 'refused', failure: { class: classification.class, message } };
  }
  return mayHaveHappened ? { kind: 'unknown', reason: message } : { kind: 'released' };
}

/** A tool marks a refusal as final, in its answer or on the error that it throws (notes/ledger.md, R5). */
function isFinal(thrown: unknown): boolean {
  if (thrown instanceof ToolRefusedError) return thrown.final;
  return readKey(thrown, 'final') === true;
}

/** A plain write that may have happened is never sent again blindly: the tool is asked first. */
function mustProbe({ header, holds, canProbe }: AttemptInHand, verdict: Verdict): boolean {
  const { sums } = verdict;
  if (!holds || !canProbe || header.effect !== 'write' || !sums.ambiguous) return false;
  return sums.failed.length <= header.share + PROBES_BEYOND_SHARE;
}

function judgedFailure(
  { header, slot, ...attempt }: AttemptInHand,
  { thrown, verdict }: { readonly thrown: unknown; readonly verdict: Verdict },
): Error {
  const { classification, sums, stop, delayMs } = verdict;
  const isObserved = header.mode === 'observe';
  const reason = stop ?? (delayMs === undefined ? 'no retry' : `retry in ${Math.ceil(delayMs)} ms`);
  logVerdict(
    { header, ...attempt },
    {
      attempt: sums.failed.length,
      decision: delayMs === undefined ? 'stop' : 'retry',
      reason: `${classification.class}: ${reason}`,
    },
  );
  // Sums of the last attempt travel in its failure; those of others in the heartbeat. Which one is the last
  // is Temporal's own decision where it is only observed.
  if (delayMs !== undefined || isObserved) slot.report(sums);
  const { retryAfterMs, retryable, fallback } = classification;
  const detail: FailureDetail = {
    $holdfast: 1,
    sums,
    class: classification.class,
    fallback,
    retryable,
    retryAfterMs,
    stop,
  };
  if (isObserved) return observedFailure(thrown, detail);
  return attemptFailure({ thrown, detail, delayMs, adopted: header.adopted });
}

/** A cancellation cuts off whatever holds no claim; a claim's work is cut off by itself, or by a shutdown. */
function isCut({ context, header, holds, began }: AttemptInHand, thrown: unknown): boolean {
  const { cancellationSignal } = context;
  if (!cancellationSignal.aborted) return false;
  if (header.mode === 'observe') return isAbort(thrown);
  return !holds || !began || isShutdown(cancellationSignal.reason) || isAbort(thrown);
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof CancelledFailure || readKey(thrown, 'name') === 'AbortError';
}

/** The attempt was cut off from outside: by a cancellation, or by its worker's shutdown. */
function cutOff(attempt: AttemptInHand, { before, used }: Failed): FailureEnd {
  const { context, header, began } = attempt;
  const cause: unknown = context.cancellationSignal.reason;
  const message = cause instanceof Error ? cause.message : String(cause);
  const mayHaveHappened = began && header.effect !== 'read';
  const ambiguous = before.ambiguous || mayHaveHappened;
  const sums = withWaste({ ...before, ambiguous }, used.usage);
  const shutsDown = isShutdown(cause) && header.mode === 'on';
  const decision = shutsDown ? 'interrupted' : 'cancelled';
  logVerdict(attempt, { attempt: before.failed.length + 1, decision, reason: message });
  const failure = shutsDown
    ? interruptedFailure(sumsDetail(sums))
    : cancelledFailure(message, sumsDetail(sums));
  const reason = `its attempt was cut off (${message})`;
  return {
    failure,
    ledger: mayHaveHappened ? { kind: 'unknown', reason } : { kind: 'released' },
    end: shutsDown ? 'interrupted' : 'cancelled',
    isUnsent: !began,
  };
}
