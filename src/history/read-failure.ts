import { classify, classVerdict } from '../budget/classify.js';
import type { Classification, ErrorClass, ErrorFacts } from '../budget/classify-types.js';
import { errorMessage } from '../budget/error-facts.js';
import { isPlainObject } from '../contract/json.js';
import { asMessage, asText, enumName, isPresent, type Raw, textOrNull } from './raw-values.js';
import { readPayload, readPayloads } from './read-payload.js';
import type { FailureFacts } from './run-facts.js';

const timeoutTypes = {
  prefix: 'TIMEOUT_TYPE_',
  names: ['START_TO_CLOSE', 'SCHEDULE_TO_START', 'SCHEDULE_TO_CLOSE', 'HEARTBEAT'],
} as const;

const MOST_CAUSES = 8;

/** Returns what a failure says; null where there is none. */
export function readFailure(value: unknown): FailureFacts | null {
  if (!isPresent(value)) return null;
  const failure = tellingFailure(asMessage(value));
  const timeout = timeoutTypeOf(failure);
  if (timeout !== null) {
    const type = `${timeoutTypes.prefix}${timeout}`;
    return told(failure, { type, nonRetryable: false, class: 'timeout', retryable: true });
  }
  if (isPresent(failure.canceledFailureInfo) || isPresent(failure.terminatedFailureInfo)) {
    return told(failure, { type: null, nonRetryable: true, class: 'cancelled', retryable: false });
  }
  const info = asMessage(failure.applicationFailureInfo ?? failure.serverFailureInfo);
  const type = textOrNull(info.type);
  const nonRetryable = info.nonRetryable === true;
  return told(failure, { type, nonRetryable, ...classOf(failure, { type, nonRetryable }) });
}

/** Returns the kind of timeout that a failure is, `START_TO_CLOSE` and the like; null for any other failure. */
export function timeoutTypeOf(failure: Raw): string | null {
  if (!isPresent(failure.timeoutFailureInfo)) return null;
  return enumName(asMessage(failure.timeoutFailureInfo).timeoutType, timeoutTypes) ?? 'UNSPECIFIED';
}

/** Returns the details of an application's failure or of a cancellation, as far as they can be read. */
export function failureDetails(failure: Raw): readonly unknown[] {
  const { applicationFailureInfo, canceledFailureInfo } = failure;
  return readPayloads(asMessage(applicationFailureInfo ?? canceledFailureInfo).details);
}

/** Wrappers say only that something failed, and a timeout between attempts says what the last of them failed of. */
function tellingFailure(outer: Raw): Raw {
  let failure = outer;
  for (let depth = 0; depth < MOST_CAUSES; depth += 1) {
    if (!isPresent(failure.cause)) return failure;
    const { applicationFailureInfo, serverFailureInfo, canceledFailureInfo } = failure;
    if (isPresent(applicationFailureInfo ?? serverFailureInfo ?? canceledFailureInfo))
      return failure;
    failure = asMessage(failure.cause);
  }
  return failure;
}

function told(failure: Raw, facts: Omit<FailureFacts, 'message'>): FailureFacts {
  return { message: errorMessage({ message: messageOf(failure) }), ...facts };
}

/** A converter may put the message apart, so that codecs see it. */
function messageOf(failure: Raw): string {
  const encoded = readPayload(failure.encodedAttributes);
  const message = isPlainObject(encoded) ? encoded.message : undefined;
  return typeof message === 'string' ? message : asText(failure.message);
}

type Verdict = Pick<Classification, 'class' | 'retryable'>;

function classOf(
  failure: Raw,
  said: { readonly type: string | null; readonly nonRetryable: boolean },
): Verdict {
  const details = failureDetails(failure);
  const own = ownVerdict(details.at(-1)) ?? hiddenVerdict(said.type, details);
  if (own !== undefined) return own;
  const found = classify({ error: factsOf(failure, said, 1) });
  const isPlain = found.class === 'unknown' && !said.nonRetryable;
  return { class: found.class, retryable: isPlain || found.retryable };
}

/** What holdfast's own worker found when it saw the error itself. */
function ownVerdict(detail: unknown): Verdict | undefined {
  if (!isPlainObject(detail) || detail.$holdfast !== 1) return undefined;
  const { class: found, retryable } = detail;
  if (typeof found !== 'string' || typeof retryable !== 'boolean') return undefined;
  return { class: found as ErrorClass, retryable }; // $holdfast marks what our interceptor made
}

/** Where a codec keeps the details, holdfast's own class still stands as the failure's type. */
function hiddenVerdict(type: string | null, details: readonly unknown[]): Verdict | undefined {
  const isHidden = details.length > 0 && details.at(-1) === undefined;
  return isHidden && type !== null ? classVerdict(type) : undefined;
}

function factsOf(
  failure: Raw,
  { type, nonRetryable }: { readonly type: string | null; readonly nonRetryable: boolean },
  depth: number,
): ErrorFacts {
  const inner = asMessage(failure.cause);
  const info = asMessage(inner.applicationFailureInfo);
  const innerSaid = { type: textOrNull(info.type), nonRetryable: false };
  const hasCause = isPresent(failure.cause) && depth < MOST_CAUSES;
  return {
    status: null,
    headers: {},
    code: type,
    name: type,
    body: { message: messageOf(failure), details: failureDetails(failure) },
    cause: hasCause ? factsOf(inner, innerSaid, depth + 1) : null,
    ...(nonRetryable ? { retryable: false } : {}),
  };
}
