import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { errorMessage } from '../budget/error-facts.js';
import {
  type FailureDetail,
  failureTypes,
  type Sums,
  type WaitDetail,
} from '../contract/call-header.js';

/** What a failed attempt reports. */
export type AttemptFailure = {
  readonly thrown: unknown;
  readonly detail: FailureDetail;
  /** Milliseconds until the next attempt; undefined where there is none. */
  readonly delayMs: number | undefined;
  /** True for a plain activity call: the failure keeps the type that user code gave it. */
  readonly adopted: boolean;
};

/** Makes the failure of an attempt: its class as its type, its wait as Temporal's next retry delay. */
export function attemptFailure({
  thrown,
  detail,
  delayMs,
  adopted,
}: AttemptFailure): ApplicationFailure {
  const own = thrown instanceof ApplicationFailure ? thrown : undefined;
  const cause = thrown instanceof Error ? thrown : undefined;
  return ApplicationFailure.create({
    message: own?.message ?? errorMessage(thrown),
    type: adopted ? typeOf(thrown) : detail.class,
    nonRetryable: delayMs === undefined,
    details: [...(own?.details ?? []), detail],
    ...(own?.category ? { category: own.category } : {}),
    ...(own === undefined ? withCause(cause) : withCause(own.cause)),
    // The server reads 0 as the end of the activity.
    ...(delayMs === undefined ? {} : { nextRetryDelay: Math.max(1, Math.ceil(delayMs)) }),
  });
}

/** Makes the failure of an observed attempt: what user code threw, with what it did added. */
export function observedFailure(thrown: unknown, detail: FailureDetail): ApplicationFailure {
  const own = thrown instanceof ApplicationFailure ? thrown : undefined;
  return ApplicationFailure.create({
    message: own?.message ?? errorMessage(thrown),
    type: typeOf(thrown),
    nonRetryable: own?.nonRetryable ?? false,
    details: [...(own?.details ?? []), detail],
    ...(own?.category ? { category: own.category } : {}),
    ...(own?.nextRetryDelay ? { nextRetryDelay: own.nextRetryDelay } : {}),
    ...(own === undefined
      ? withCause(thrown instanceof Error ? thrown : undefined)
      : withCause(own.cause)),
  });
}

/** Makes the end of an attempt whose worker is shut down: the workflow schedules it again. */
export function interruptedFailure(detail: FailureDetail): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureTypes.interrupted,
    message: 'The worker was shut down in mid-attempt.',
    nonRetryable: true,
    details: [detail],
  });
}

/** Makes the end of an attempt that has to wait and gives its slot back: the workflow waits on a timer. */
export function waitFailure(wait: Omit<WaitDetail, '$holdfast'>): ApplicationFailure {
  const detail: WaitDetail = { $holdfast: 1, ...wait };
  return ApplicationFailure.create({
    type: failureTypes.wait,
    message: `The attempt waits ${wait.waitMs} ms for its ${wait.what}.`,
    nonRetryable: true,
    details: [detail],
  });
}

/** Makes the end of a cancelled attempt: Temporal's own, with what was done until then. */
export function cancelledFailure(message: string, detail: FailureDetail): CancelledFailure {
  return new CancelledFailure(message, [detail]);
}

/** Returns the detail of a failure that only says what was done so far. */
export function sumsDetail(sums: Sums): FailureDetail {
  return {
    $holdfast: 1,
    sums,
    class: 'cancelled',
    fallback: false,
    retryable: false,
    retryAfterMs: null,
    stop: null,
  };
}

/** The type that the SDK itself would give a thrown value. */
function typeOf(thrown: unknown): string {
  if (thrown instanceof ApplicationFailure) return thrown.type ?? 'Error';
  return thrown instanceof Error ? thrown.name : 'Error';
}

function withCause(cause: Error | undefined): { cause?: Error } {
  return cause === undefined ? {} : { cause };
}
