import { assertNever } from './assert-never.js';
import { throwFaults } from './errors.js';
import { faultsOf, type Rule, rules } from './rules.js';

/**
 * How a wait is spread: `full` draws from the whole envelope, `decorrelated` from the wait before,
 * `none` waits for the envelope itself (for comparison).
 */
export type Jitter = 'full' | 'decorrelated' | 'none';

/** The envelope that waits are drawn from. */
export type BackoffPolicy = {
  /** Milliseconds before the first retry at most, at least 0. */
  readonly baseMs: number;
  /** Milliseconds that no wait passes, at least 1. */
  readonly capMs: number;
  readonly jitter: Jitter;
};

/** One wait to be drawn. */
export type BackoffRequest = BackoffPolicy & {
  /** Retries before this one: 0 for the first retry. */
  readonly retry: number;
  /**
   * The wait before this one in milliseconds, for `decorrelated`.
   * @default baseMs
   */
  readonly previousMs?: number;
  /** A source of chance in [0, 1). */
  readonly random: () => number;
};

/** Backoff of a tool where nobody gives another. */
export const backoffDefaults = {
  baseMs: 200,
  capMs: 3_000,
  jitter: 'full',
} as const satisfies BackoffPolicy;

/** Backoff of a model where nobody gives another. */
export const modelBackoffDefaults = {
  baseMs: 1_000,
  capMs: 30_000,
  jitter: 'full',
} as const satisfies BackoffPolicy;

/** The longest wait that a 32-bit timer takes: `setTimeout` fires at once on a longer one. */
export const longestDelayMs = 2_147_483_647;

/** Temporal reads a next retry delay of 0 as the end of the activity. */
const shortestDelayMs = 1;

/**
 * Returns the exponential envelope min(cap, base·2^retry) in milliseconds (spec.md section 4), at
 * any retry number: it stops doubling at the cap.
 * Throws `InvalidRequestError`.
 */
export function envelopeMs(request: Pick<BackoffRequest, 'retry' | 'baseMs' | 'capMs'>): number {
  checkEnvelope(request);
  return validEnvelope(request);
}

/**
 * Returns the milliseconds to wait before a retry, not rounded, from 1 to the cap (or to
 * `longestDelayMs` where the cap is above it). A source of chance that leaves [0, 1] counts as 1:
 * the longest wait, never none.
 * Throws `InvalidRequestError`.
 */
export function backoffDelay(request: BackoffRequest): number {
  checkEnvelope(request);
  throwFaults([
    ...faultsOf('jitter', request.jitter, jitterRule),
    ...faultsOf('previousMs', request.previousMs ?? 0, durationRule),
  ]);
  const capMs = validCap(request.capMs);
  return Math.max(shortestDelayMs, Math.min(capMs, drawDelay(request, capMs)));
}

/**
 * Returns the milliseconds to wait before a retry where the server may have asked for a time: the
 * hint plus a backoff as jitter, so never less than the hint, whatever the cap; with jitter `none`
 * the hint itself. Without a hint it is `backoffDelay`. Whether a hint is too long to wait for is
 * the caller's question: this function shortens none.
 * Throws `InvalidRequestError`.
 */
export function retryDelay(request: BackoffRequest & { readonly hintMs?: number }): number {
  const { hintMs, ...backoff } = request;
  const delayMs = backoffDelay(backoff);
  if (hintMs === undefined) return delayMs;
  throwFaults(faultsOf('hintMs', hintMs, rules.nonNegativeNumber));
  return backoff.jitter === 'none' ? Math.max(shortestDelayMs, hintMs) : hintMs + delayMs;
}

function drawDelay(request: BackoffRequest, capMs: number): number {
  switch (request.jitter) {
    case 'none':
      return validEnvelope(request);
    case 'full':
      return draw(request.random) * validEnvelope(request);
    case 'decorrelated':
      return decorrelated(request, capMs);
    default:
      return assertNever(request.jitter);
  }
}

/** min(cap, uniform(base, 3·previous)); both ends stop at the cap first, so neither overflows. */
function decorrelated(
  { baseMs, previousMs = baseMs, random }: BackoffRequest,
  capMs: number,
): number {
  const low = Math.min(baseMs, capMs);
  const previous = Math.min(Math.max(previousMs, low), capMs);
  return low + draw(random) * (3 * previous - low);
}

function validEnvelope({
  retry,
  baseMs,
  capMs,
}: Omit<BackoffRequest, 'jitter' | 'random'>): number {
  const limit = validCap(capMs);
  if (baseMs === 0) return 0;
  let envelope = baseMs;
  for (let doubled = 0; doubled < retry && envelope < limit; doubled++) envelope *= 2;
  return Math.min(limit, envelope);
}

function validCap(capMs: number): number {
  return Math.min(capMs, longestDelayMs);
}

function draw(random: () => number): number {
  const share = random();
  return share >= 0 && share <= 1 ? share : 1;
}

const retryRule: Rule = {
  holds: (value) => value === Number.POSITIVE_INFINITY || rules.nonNegativeInteger.holds(value),
  text: rules.nonNegativeInteger.text,
};
const jitterRule: Rule = {
  holds: (value) => value === 'full' || value === 'decorrelated' || value === 'none',
  text: "must be 'full', 'decorrelated' or 'none'",
};
const durationRule: Rule = {
  holds: (value) => typeof value === 'number' && value >= 0,
  text: 'must be a number of milliseconds of at least 0',
};
const capRule: Rule = {
  holds: (value) => typeof value === 'number' && value >= shortestDelayMs,
  text: 'must be a number of milliseconds of at least 1',
};

function checkEnvelope({ retry, baseMs, capMs }: Omit<BackoffRequest, 'jitter' | 'random'>): void {
  throwFaults([
    ...faultsOf('retry', retry, retryRule),
    ...faultsOf('baseMs', baseMs, durationRule),
    ...faultsOf('capMs', capMs, capRule),
  ]);
}
