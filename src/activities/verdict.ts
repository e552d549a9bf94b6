import { ApplicationFailure } from '@temporalio/common';
import { msOptionalToNumber } from '@temporalio/common/lib/time.js';
import { attemptEnds } from '../budget/attempt-ends.js';
import { retryDelay } from '../budget/backoff.js';
import { classify } from '../budget/classify.js';
import { isAmbiguous, provenUnsent } from '../budget/classify-ambiguity.js';
import type { Classification, ErrorFacts } from '../budget/classify-types.js';
import { errorFacts } from '../budget/error-facts.js';
import type { CallHeader, Sums } from '../contract/call-header.js';
import type { ExhaustionReason } from '../contract/outcome.js';
import { type AttemptUse, wastedBy, withWaste } from './attempt-usage.js';
import { ClassifiedError } from './classified-error.js';
import { AttemptDeadline } from './deadline.js';

/** What a failed attempt means for its call. */
export type Verdict = {
  readonly classification: Classification;
  readonly sums: Sums;
  /** Milliseconds until the next attempt; undefined where there is none. */
  readonly delayMs: number | undefined;
  /** Why there is none, where that isn't plain from the classification or the share. */
  readonly stop: ExhaustionReason | null;
  /** Whether the effect of this one attempt may have happened; false for a read. */
  readonly mayHaveHappened: boolean;
  /** True where it is proven that nothing left this worker. */
  readonly isUnsent: boolean;
};

/** What is known when an attempt has failed. */
export type FailedAttempt = {
  readonly thrown: unknown;
  readonly header: CallHeader;
  /** Whether the work had begun: before that nothing was sent. */
  readonly began: boolean;
  /** Sums before this attempt. */
  readonly before: Sums;
  /** What this attempt used. */
  readonly used: AttemptUse;
  /** Milliseconds to the task's deadline. */
  readonly timeLeftMs: number;
  /** Epoch milliseconds, to date absolute hints. */
  readonly nowMs: number;
  readonly random: () => number;
};

const MINUTE_MS = 60_000;

const deadlinePassed: Classification = {
  class: 'timeout',
  retryable: true,
  retryAfterMs: null,
  fallback: false,
};

const unreadable: Classification = {
  class: 'validation',
  retryable: false,
  retryAfterMs: null,
  fallback: true,
};

/** Decides about a failed attempt: its class, what it adds to the sums, and whether and when another follows. */
export function judge(failed: FailedAttempt): Verdict {
  const { header, before, thrown } = failed;
  const facts = thrown instanceof ClassifiedError ? thrown.facts : errorFacts(thrown);
  const classification = classified(failed, facts);
  const mayHaveHappened =
    failed.began && header.effect !== 'read' && isPerhapsApplied(classification, facts);
  const counts = attemptEnds[classification.class].workflowBreaker === 'failure';
  const ended: Sums = {
    ...before,
    failed: before.failed + (counts ? 'f' : 'n'),
    ambiguous: before.ambiguous || mayHaveHappened,
  };
  const sums = withWaste(ended, wastedBy(classification.class, failed.used));
  const known = { classification, mayHaveHappened, isUnsent: !failed.began || provenUnsent(facts) };
  const stop = stopReason(failed, classification, sums);
  if (stop !== undefined) return { ...known, sums, delayMs: undefined, stop: stop.reason };
  const delayMs = delayOf(failed, classification);
  if (delayMs >= failed.timeLeftMs) return { ...known, sums, delayMs: undefined, stop: 'deadline' };
  return { ...known, sums: { ...sums, delayMs }, delayMs, stop: null };
}

/** An answer that the output schema refuses is an answer: what it answers to has most likely happened. */
function isPerhapsApplied(classification: Classification, facts: ErrorFacts): boolean {
  return classification.class === 'validation' || isAmbiguous(classification, facts);
}

/** Tells whether a tool failed to read its answer: JSON.parse and zod throw these. */
function isUnreadable(thrown: unknown): boolean {
  if (thrown instanceof SyntaxError) return true;
  return thrown instanceof Error && (thrown.name === 'ZodError' || thrown.name === '$ZodError');
}

function classified({ thrown, header, nowMs }: FailedAttempt, facts: ErrorFacts): Classification {
  if (thrown instanceof AttemptDeadline) return deadlinePassed;
  if (thrown instanceof ClassifiedError && thrown.classification !== undefined)
    return thrown.classification;
  if (!header.adopted && isUnreadable(thrown)) return unreadable;
  const classification = classify({
    error: facts,
    localAborted: false,
    now: new Date(nowMs).toISOString(),
  });
  if (thrown instanceof ApplicationFailure) {
    // Its author has used Temporal's own word for it.
    return { ...classification, retryable: thrown.nonRetryable !== true };
  }
  // Temporal's rule for a plain activity is that an error is retried unless it says otherwise.
  const isPlain = header.adopted && classification.class === 'unknown' && facts.retryable !== false;
  return isPlain ? { ...classification, retryable: true } : classification;
}

function stopReason(
  { header, thrown }: FailedAttempt,
  classification: Classification,
  sums: Sums,
): { readonly reason: ExhaustionReason | null } | undefined {
  if (!classification.retryable) return { reason: null };
  // A plain write is never sent again once nobody knows whether it has happened.
  if (header.effect === 'write' && sums.ambiguous) return { reason: 'not-retryable' };
  if (sums.failed.length > header.share) return { reason: null };
  const hintMs = hintOf(thrown, classification);
  if (hintMs !== undefined && hintMs > header.hintCapMs) return { reason: 'not-retryable' };
  const { tokensLeft } = header;
  if (tokensLeft !== null && sums.tokensWasted > 0 && sums.tokensWasted >= tokensLeft) {
    return { reason: 'token-budget' };
  }
  return undefined;
}

function delayOf(failed: FailedAttempt, classification: Classification): number {
  const { thrown, header, before, random } = failed;
  const hintMs = hintOf(thrown, classification) ?? windowHint(failed, classification);
  return retryDelay({
    ...header.backoff,
    retry: before.failed.length,
    random,
    ...(before.delayMs === undefined ? {} : { previousMs: before.delayMs }),
    ...(hintMs === undefined ? {} : { hintMs }),
  });
}

/**
 * A downstream that is limited by the minute and doesn't say when to come back is left alone for one, where that
 * fits: otherwise every attempt may fall inside the window that is full already.
 */
function windowHint(
  { header, before, timeLeftMs }: FailedAttempt,
  classification: Classification,
): number | undefined {
  const { requestsPerMinute, tokensPerMinute } = header.limits;
  if (classification.class !== 'rate-limit' || before.failed !== '') return undefined;
  if ((requestsPerMinute ?? tokensPerMinute) === undefined) return undefined;
  const longestMs = MINUTE_MS + header.backoff.capMs;
  return header.hintCapMs >= MINUTE_MS && longestMs < timeLeftMs ? MINUTE_MS : undefined;
}

/** The wait that the downstream, or the tool's own failure, asks for. */
function hintOf(thrown: unknown, { retryAfterMs }: Classification): number | undefined {
  if (retryAfterMs !== null) return retryAfterMs;
  return thrown instanceof ApplicationFailure ? ownDelayMs(thrown) : undefined;
}

function ownDelayMs({ nextRetryDelay }: ApplicationFailure): number | undefined {
  try {
    return msOptionalToNumber(nextRetryDelay);
  } catch {
    return undefined; // a text that is no duration asks for nothing
  }
}
