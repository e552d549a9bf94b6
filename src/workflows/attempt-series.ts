import { CancelledFailure, RetryState, TimeoutType } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { ErrorClass } from '../budget/classify-types.js';
import {
  type Envelope,
  type FailureDetail,
  failureTypes,
  type HeartbeatDetail,
  type LedgerVerdict,
  noSums,
  type Sums,
  type WaitDetail,
} from '../contract/call-header.js';
import { isPlainObject } from '../contract/json.js';
import type { ExhaustionReason } from '../contract/outcome.js';

/** How the attempts that the server made of one scheduling ended. */
export type SeriesEnd =
  | {
      readonly kind: 'answered';
      readonly value: unknown;
      readonly sums: Sums;
      readonly tokens: number;
      /** Millionths of a currency unit; null where the price isn't known. */
      readonly costMicros: number | null;
      readonly replayed: boolean;
      readonly blind: boolean;
      readonly argumentsDiffer?: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly sums: Sums;
      /** Null where the worker's breaker rejected the attempt. */
      readonly class: ErrorClass | null;
      readonly message: string;
      readonly retryable: boolean;
      readonly fallback: boolean;
      readonly retryAfterMs: number | null;
      readonly stop: ExhaustionReason | null;
      readonly blind: boolean;
      readonly ledger?: LedgerVerdict;
    }
  | { readonly kind: 'interrupted'; readonly sums: Sums; readonly message: string }
  | { readonly kind: 'waiting'; readonly sums: Sums; readonly wait: WaitDetail }
  | { readonly kind: 'not-started'; readonly message: string };

/** How a series ended, with the failure that told it where there is one. */
export type Read = { readonly end: SeriesEnd; readonly error?: unknown };

/** The end of attempts of which one succeeded. */
export type Answered = Extract<SeriesEnd, { kind: 'answered' }>;

/** What was scheduled: the sums before it, and the attempts that it could make at most. */
export type Scheduled = { readonly before: Sums; readonly maximumAttempts: number };

/** Reads a result: opens the envelope; one without it is taken as it is and called blind. */
export function readResult(result: unknown, { before }: Scheduled): Answered {
  if (!isPlainObject(result) || result.$holdfast !== 1) {
    return {
      kind: 'answered',
      value: result,
      sums: before,
      tokens: 0,
      costMicros: 0,
      replayed: false,
      blind: true,
    };
  }
  const envelope = result as Envelope; // $holdfast marks what our interceptor made
  const { value, sums = noSums, tokens = 0, cost: costMicros = 0, replayed = false } = envelope;
  const differing = envelope.argumentsDiffer === true ? { argumentsDiffer: true } : {};
  const used = { tokens, costMicros };
  return { kind: 'answered', value, sums, ...used, replayed, blind: false, ...differing };
}

/** Reads a failure of a scheduling; undefined where it isn't an activity's (a fault inside the gate). */
function readFailure(error: unknown, scheduled: Scheduled): SeriesEnd | undefined {
  if (!(error instanceof ActivityFailure)) return undefined;
  const { cause } = error;
  if (cause instanceof TimeoutFailure) return readTimeout(cause, scheduled);
  if (!(cause instanceof ApplicationFailure)) return blindFailure(error, scheduled);
  const detail = ownDetail(cause);
  if (detail === undefined) return blindFailure(error, scheduled);
  if (cause.type === failureTypes.interrupted) {
    return { kind: 'interrupted', sums: detail.sums, message: cause.message };
  }
  if (cause.type === failureTypes.wait) {
    return { kind: 'waiting', sums: detail.sums, wait: detail as WaitDetail }; // the type names the detail
  }
  const failure = detail as FailureDetail; // every other detail that is ours
  const stop = failure.stop ?? serverStop(error);
  return { kind: 'failed', message: cause.message, blind: false, ...failure, stop };
}

/** Reads an error of a scheduling; throws it where it ended no attempt: a cancellation, a fault of the gate. */
export function readError(error: unknown, scheduled: Scheduled): Read {
  const end = isCancellation(error) ? undefined : readFailure(error, scheduled);
  if (end === undefined) throw error;
  return { end, error };
}

/** Takes our detail off a failure, so that user code, and whoever it throws it on to, sees its own only. */
export function stripDetail(error: unknown): void {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return;
  const { cause } = error;
  if (ownDetail(cause) === undefined) return;
  // Failures that are thrown on would be sent as they came; without that they are made of their fields.
  Object.assign(cause, { details: (cause.details ?? []).slice(0, -1), failure: undefined });
  Object.assign(error, { failure: undefined });
}

function ownDetail(cause: ApplicationFailure): FailureDetail | WaitDetail | undefined {
  const last: unknown = cause.details?.at(-1);
  if (!isPlainObject(last) || last.$holdfast !== 1) return undefined;
  return last as FailureDetail | WaitDetail; // $holdfast marks what our interceptor made
}

function readTimeout(cause: TimeoutFailure, { before }: Scheduled): SeriesEnd {
  const heartbeat: unknown = cause.lastHeartbeatDetails;
  const sums =
    isPlainObject(heartbeat) && isPlainObject(heartbeat.$holdfast)
      ? (heartbeat as unknown as HeartbeatDetail).$holdfast // the shape that our interceptor heartbeats
      : undefined;
  const { message } = cause;
  // Any other timeout has cut off an attempt of which nobody says what it did.
  const isWaiting = cause.timeoutType === TimeoutType.SCHEDULE_TO_START;
  if (!isWaiting) return { kind: 'interrupted', sums: sums ?? before, message };
  if (sums === undefined && before.failed === '') return { kind: 'not-started', message };
  return {
    kind: 'failed',
    sums: sums ?? before,
    class: 'timeout',
    message,
    retryable: true,
    fallback: false,
    retryAfterMs: null,
    stop: 'deadline',
    blind: false,
  };
}

/** The worker wanted a retry, and the server had no time left for its wait. */
function serverStop({ retryState }: ActivityFailure): ExhaustionReason | null {
  return retryState === RetryState.TIMEOUT ? 'deadline' : null;
}

/** No worker of the queue knows the activity: nothing ran, and the SDK itself says so. */
function isUnregistered({ cause }: ActivityFailure): boolean {
  return (
    cause instanceof ApplicationFailure &&
    cause.type === 'NotFoundError' &&
    /is not registered/.test(cause.message)
  );
}

/** A worker without holdfast says nothing of its attempts: it is charged at its maximum. */
function blindFailure(error: ActivityFailure, { before, maximumAttempts }: Scheduled): SeriesEnd {
  const ran = !isUnregistered(error);
  const failed = before.failed + (ran ? 'f' : 'n').repeat(maximumAttempts);
  return {
    kind: 'failed',
    sums: { ...before, failed, ambiguous: ran || before.ambiguous },
    class: ran ? 'unknown' : 'not-found',
    message: error.cause?.message ?? error.message,
    retryable: ran && error.retryState !== RetryState.NON_RETRYABLE_FAILURE,
    fallback: false,
    retryAfterMs: null,
    stop: serverStop(error),
    blind: ran,
  };
}

/** Reads what a cancelled attempt says in its details; undefined for a call cancelled in backoff. */
export function cancelledSums(error: unknown): Sums | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof CancelledFailure)) return undefined;
  const detail: unknown = cause.details?.at(-1);
  if (!isPlainObject(detail) || detail.$holdfast !== 1) return undefined;
  return (detail as unknown as FailureDetail).sums; // $holdfast marks what our interceptor made
}
