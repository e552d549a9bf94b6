import { classify } from '../budget/classify.js';
import type { ErrorFacts } from '../budget/classify-types.js';
import { showValue } from '../budget/show-value.js';
import { isPlainObject } from '../contract/json.js';
import type { Attempt } from './attempt-context.js';
import { ClassifiedError, noFacts } from './classified-error.js';

/** A request by the `http` helper. */
export type HttpRequest = {
  readonly url: string | URL;
  /** @default 'GET', or 'POST' with `json` */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that is sent as JSON. */
  readonly json?: unknown;
};

/** A successful answer; `body` is parsed JSON, or the text as it came. */
export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/**
 * Sends one request, once: the plan owns every retry. Adds `Idempotency-Key` (for writes),
 * `Holdfast-Attempt`, `Holdfast-Retries-Left` and `Holdfast-Time-Left-Ms`.
 * @throws HttpError for an answer that is an error, also one inside a 200; what fetch throws where there
 * was no answer; the abort reason at the deadline
 */
export type Http = (request: HttpRequest) => Promise<HttpAnswer>;

/** An answer that is an error. */
export class HttpError extends ClassifiedError {
  readonly kind = 'http';
  readonly facts: ErrorFacts;

  constructor(
    readonly request: { readonly method: string; readonly url: string },
    readonly answer: HttpAnswer,
  ) {
    super(`${request.method} ${request.url} answered ${answer.status}: ${showValue(answer.body)}`);
    this.facts = { ...noFacts, ...answer };
  }
}

/** Makes the helper for an attempt; outside the gate it sends no headers of its own. */
export function createHttp(attempt: Attempt | undefined, signal: AbortSignal): Http {
  return async (request) => {
    const { url, json } = request;
    const method = request.method ?? (json === undefined ? 'GET' : 'POST');
    const response = await fetch(url, {
      method,
      headers: requestHeaders(attempt, request),
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      signal,
    });
    const answer: HttpAnswer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: parseBody(await response.text()),
    };
    if (response.ok && !isErrorInside(answer)) return answer;
    throw new HttpError({ method, url: withoutQuery(url) }, answer);
  };
}

/** Set one by one: of names that differ in case only, a plain record would send both values. */
function requestHeaders(
  attempt: Attempt | undefined,
  { json, headers = {} }: HttpRequest,
): Headers {
  const merged = new Headers(json === undefined ? {} : { 'content-type': 'application/json' });
  const given = [...Object.entries(attemptHeaders(attempt)), ...Object.entries(headers)];
  for (const [name, value] of given) merged.set(name, value);
  return merged;
}

/** Returns the headers by which a downstream sees what an attempt is; none outside the gate. */
export function attemptHeaders(attempt: Attempt | undefined): Record<string, string> {
  if (attempt === undefined) return {};
  const { header, retriesLeft, timeLeftMs } = attempt;
  const sendsKey = header.effect !== 'read' && header.key !== null;
  return {
    ...(sendsKey ? { 'idempotency-key': header.key } : {}),
    'holdfast-attempt': String(attempt.attempt),
    'holdfast-retries-left': String(retriesLeft),
    ...timeLeftHeader(timeLeftMs()),
  };
}

function timeLeftHeader(leftMs: number): Record<string, string> {
  return Number.isFinite(leftMs) ? { 'holdfast-time-left-ms': String(Math.floor(leftMs)) } : {};
}

/** Some APIs answer 200 and put the error into the body. */
function isErrorInside({ status, headers, body }: HttpAnswer): boolean {
  if (!isPlainObject(body)) return false;
  const { error } = body;
  const hasError = isPlainObject(error) || (typeof error === 'string' && error !== '');
  if (hasError || body.type === 'error' || body.success === false) return true;
  if (!('choices' in body) && !('promptFeedback' in body)) return false;
  return classify({ error: { ...noFacts, status, headers, body } }).class !== 'unknown';
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // HTML, plain text, or an empty body
  }
}

/** Keys that stand in a query stay out of messages. */
function withoutQuery(url: string | URL): string {
  return String(url).split('?')[0] ?? '';
}
