import {
  ApplicationFailure,
  type ApplicationFailureOptions,
  CancelledFailure,
} from '@temporalio/common';
import { errorMessage } from '../budget/error-facts.js';
import { isErrorLike, readKey } from '../budget/error-facts-copy.js';
import {
  type FailureDetail,
  failureTypes,
  type Sums,
  type WaitDetail,
} from '../contract/call-header.js';
import { carriedCause, carriedStack, errorName, ownMessage } from './carried-error.js';

/** What a failed attempt reports. */
export type AttemptFailure = {
  readonly thrown: unknown;
  readonly detail: FailureDetail;
  /** Milliseconds until the next attempt; undefined where there is none. */
  readonly delayMs: number | undefined;
  /** True for a plain activity call: the failure keeps the type that user code gave it. */
  readonly adopted: boolean;
};

/** Makes the failure of an attempt: its class (or why it was refused) as its type, its wait as Temporal's next retry delay. */
export function attemptFailure(failure: AttemptFailure): ApplicationFailure {
  const { thrown, detail, delayMs, adopted } = failure;
  const outcome = {
    nonRetryable: delayMs === undefined,
    // The server reads 0 as the end of the activity.
    ...(delayMs === undefined ? {} : { nextRetryDelay: Math.max(1, Math.ceil(delayMs)) }),
  };
  if (adopted) return userFailure(thrown, { detail, outcome });
  const own = thrown instanceof ApplicationFailure ? thrown : undefined;
  return ApplicationFailure.create({
    message: own?.message ?? errorMessage(thrown),
    type: detail.class ?? detail.stop ?? 'unknown',
    ...kept(own, detail),
    ...withCause(carriedCause(own === undefined ? thrown : own.cause, errorMessage)),
    ...outcome,
  });
}

/** Makes the failure of an observed attempt: what user code threw, with what it did added. */
export function observedFailure(thrown: unknown, detail: FailureDetail): ApplicationFailure {
  const own = thrown instanceof ApplicationFailure ? thrown : undefined;
  const delay = own?.nextRetryDelay;
  const outcome = {
    nonRetryable: own?.nonRetryable ?? false,
    ...(delay ? { nextRetryDelay: delay } : {}),
  };
  return userFailure(thrown, { detail, outcome });
}

/** The failure that the SDK itself would make of a thrown value, with our detail at its end. */
function userFailure(
  thrown: unknown,
  { detail, outcome }: { readonly detail: FailureDetail; readonly outcome: Outcome },
): ApplicationFailure {
  const own = thrown instanceof ApplicationFailure ? thrown : undefined;
  const message = ownMessage(thrown);
  const failure = ApplicationFailure.create({
    message,
    type: own === undefined ? errorName(thrown) : (own.type ?? 'Error'),
    ...kept(own, detail),
    ...withCause(carriedCause(readKey(thrown, 'cause'), ownMessage)),
    ...outcome,
  });
  if (isErrorLike(thrown)) failure.stack = carriedStack(thrown, message);
  return failure;
}

type Outcome = Pick<ApplicationFailureOptions, 'nonRetryable' | 'nextRetryDelay'>;

function kept(
  own: ApplicationFailure | undefined,
  detail: FailureDetail,
): Pick<ApplicationFailureOptions, 'details' | 'category'> {
  return {
    details: [...(own?.details ?? []), detail],
    ...(own?.category ? { category: own.category } : {}),
  };
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

function withCause(cause: Error | undefined): { cause?: Error } {
  return cause === undefined ? {} : { cause };
}
