import type { Info } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityExecuteInput } from '@temporalio/worker';
import type { AttemptEnd } from '../budget/attempt-ends.js';
import { isPlainObject } from '../contract/json.js';
import { MODEL_GENERATE } from '../contract/model.js';
import type { ExhaustionReason } from '../contract/outcome.js';
import type { GovernedAttempt } from './attempt-hands.js';
import type { Verdict } from './verdict.js';

/** Returns the name by which a run knows the tool of an activity: all models are one activity type. */
export function toolName(activityType: string, { args }: ActivityExecuteInput): string {
  const [input] = args;
  if (activityType !== MODEL_GENERATE || !isPlainObject(input)) return activityType;
  return typeof input.model === 'string' ? input.model : activityType;
}

/** Tells whatever measures how an attempt ended. */
export function measureEnd(
  { tool, header, context, measure, annotate }: GovernedAttempt,
  ended: {
    readonly end: AttemptEnd;
    readonly attempt: number;
    /** Undefined where the attempt has sent nothing. */
    readonly durationMs: number | undefined;
  },
): void {
  const { downstream, effect } = header;
  const { end, attempt, durationMs } = ended;
  measure('holdfast_attempts_total', { tool, downstream, effect, end });
  if (durationMs !== undefined) {
    measure('holdfast_attempt_duration_milliseconds', { tool, downstream }, durationMs);
  }
  annotate?.(context, {
    'holdfast.tool': tool,
    'holdfast.downstream': downstream,
    'holdfast.attempt': attempt,
    'holdfast.outcome': end,
  });
}

/** Counts what was decided about a failed attempt; where the gate only looks on, Temporal decides. */
export function measureVerdict(
  {
    tool,
    header,
    context,
    measure,
  }: Pick<GovernedAttempt, 'tool' | 'header' | 'context' | 'measure'>,
  { verdict, thrown }: { readonly verdict: Verdict; readonly thrown: unknown },
): void {
  const { downstream, mode, share } = header;
  const { delayMs, stop, classification, sums } = verdict;
  const isRetried = mode === 'on' ? delayMs !== undefined : temporalRetries(context.info, thrown);
  if (isRetried) {
    measure('holdfast_retries_total', { tool, downstream, class: classification.class });
    return;
  }
  const isOver = sums.failed.length > share;
  const reason: ExhaustionReason =
    stop ?? (classification.retryable && isOver ? 'attempts' : 'not-retryable');
  measure('holdfast_retries_refused_total', { tool, downstream, reason });
}

/** Tells whether Temporal retries a failure by the activity's own policy; without one told it does. */
function temporalRetries({ attempt, retryPolicy = {} }: Info, thrown: unknown): boolean {
  const { maximumAttempts = Number.POSITIVE_INFINITY, nonRetryableErrorTypes = [] } = retryPolicy;
  if (attempt >= (maximumAttempts || Number.POSITIVE_INFINITY)) return false; // 0 is no limit
  if (!(thrown instanceof Error)) return true;
  const isFinal = thrown instanceof ApplicationFailure && thrown.nonRetryable === true;
  const type = thrown instanceof ApplicationFailure ? thrown.type : thrown.name;
  return !isFinal && !nonRetryableErrorTypes.includes(type ?? '');
}
