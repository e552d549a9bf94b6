import { APICallError } from 'ai';
import { classify } from '../../budget/classify.js';
import type { Classification, ErrorFacts } from '../../budget/classify-types.js';
import { errorFacts } from '../../budget/error-facts.js';
import { readKey } from '../../budget/error-facts-copy.js';
import { showValue } from '../../budget/show-value.js';
import { ClassifiedError, noFacts } from '../classified-error.js';

const OK = 200;

/** An answer of a model that is none: a refusal, an end in the middle, nothing at all. */
export class ModelAnswerError extends ClassifiedError {
  readonly kind = 'model-answer';
  readonly facts = noFacts;

  constructor(
    message: string,
    override readonly classification: Classification,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An error that a model's server put into an answer that began well. */
export class ModelStreamError extends ClassifiedError {
  readonly kind = 'model-stream';
  readonly facts: ErrorFacts;

  constructor(body: unknown) {
    super(`The model's answer broke off with an error: ${showValue(body)}`);
    this.facts = { ...noFacts, status: OK, body };
  }
}

const verdict = { retryable: false, retryAfterMs: null, fallback: true } as const;

/** The answer said nothing: models are sampled, so that the same question may well be answered next time. */
export function emptyAnswer(model: string): ModelAnswerError {
  const message = `The model ${model} answered nothing.`;
  return new ModelAnswerError(message, { ...verdict, class: 'validation', retryable: true });
}

/** The answer reached its length before it said anything. */
export function lengthReached(model: string): ModelAnswerError {
  const message = `The model ${model} reached the length of its answer before it said anything: raise maxOutputTokens.`;
  return new ModelAnswerError(message, { ...verdict, class: 'validation' });
}

/** The provider withheld the answer. */
export function answerFiltered(model: string): ModelAnswerError {
  const message = `The answer of the model ${model} was withheld by its provider's filter.`;
  return new ModelAnswerError(message, { ...verdict, class: 'content-filter' });
}

/** The stream ended in the middle of an answer. */
export function streamCut(model: string, cause?: unknown): ModelAnswerError {
  const message = `The answer of the model ${model} was cut off in the middle.`;
  return new ModelAnswerError(
    message,
    { ...verdict, class: 'network', retryable: true },
    { cause },
  );
}

/** No token came in time. */
export function firstTokenLate(model: string, afterMs: number): ModelAnswerError {
  const message = `The model ${model} said nothing within ${afterMs} ms.`;
  return new ModelAnswerError(message, {
    ...verdict,
    class: 'timeout',
    retryable: true,
    fallback: false,
  });
}

/** The answer isn't what was asked for. */
export function unfitAnswer(model: string, reason: string): ModelAnswerError {
  const message = `The answer of the model ${model} doesn't fit: ${reason}`;
  return new ModelAnswerError(message, { ...verdict, class: 'validation' });
}

/** What the SDK's own errors mean, where no server's answer says more. */
const sdkClasses: Readonly<Record<string, Classification>> = {
  AI_LoadAPIKeyError: { ...verdict, class: 'auth' },
  AI_LoadSettingError: { ...verdict, class: 'auth' },
  AI_InvalidPromptError: { ...verdict, class: 'invalid-request', fallback: false },
  AI_InvalidArgumentError: { ...verdict, class: 'invalid-request', fallback: false },
  AI_InvalidMessageRoleError: { ...verdict, class: 'invalid-request', fallback: false },
  AI_MessageConversionError: { ...verdict, class: 'invalid-request', fallback: false },
  AI_MissingToolResultsError: { ...verdict, class: 'invalid-request', fallback: false },
  AI_UnsupportedFunctionalityError: { ...verdict, class: 'invalid-request' },
  AI_NoSuchModelError: { ...verdict, class: 'not-found' },
  AI_EmptyResponseBodyError: { ...verdict, class: 'validation', retryable: true },
  AI_InvalidResponseDataError: { ...verdict, class: 'validation' },
  AI_JSONParseError: { ...verdict, class: 'validation' },
  AI_NoContentGeneratedError: { ...verdict, class: 'validation', retryable: true },
  AI_NoObjectGeneratedError: { ...verdict, class: 'validation' },
  AI_NoOutputGeneratedError: { ...verdict, class: 'validation', retryable: true },
  AI_TypeValidationError: { ...verdict, class: 'validation' },
};

/**
 * Returns what to throw for what the SDK threw: its own errors by their names, an answer that nobody can read as an
 * answer that doesn't fit, and everything else as it is, for `classify` to read.
 */
export function modelError(thrown: unknown): unknown {
  if (thrown instanceof ClassifiedError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const name = readKey(thrown, 'name');
  const known =
    typeof name === 'string' && Object.hasOwn(sdkClasses, name) ? sdkClasses[name] : undefined;
  if (known !== undefined) return new ModelAnswerError(message, known, { cause: thrown });
  if (!isUnread(thrown)) return thrown;
  const classification = { ...verdict, class: 'validation' } as const;
  return new ModelAnswerError(message, classification, { cause: thrown });
}

/** A success of which nothing could be made, and which says no more; or the SDK tripped over what it got. */
function isUnread(thrown: unknown): boolean {
  if (APICallError.isInstance(thrown)) {
    const { statusCode = 0 } = thrown;
    if (statusCode < OK || statusCode >= 300) return false;
    return classify({ error: errorFacts(thrown) }).class === 'unknown';
  }
  return thrown instanceof TypeError && classify({ error: errorFacts(thrown) }).class === 'unknown';
}
