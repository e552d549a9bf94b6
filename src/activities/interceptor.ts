import { performance } from 'node:perf_hooks';
import { CompleteAsyncError, type Context } from '@temporalio/activity';
import { CancelledFailure, defaultPayloadConverter } from '@temporalio/common';
import type {
  ActivityExecuteInput,
  ActivityInboundCallsInterceptor,
  ActivityInterceptors,
  Next,
} from '@temporalio/worker';
import { readKey } from '../budget/error-facts-copy.js';
import {
  type CallHeader,
  envelopeOf,
  type FailureDetail,
  headerNames,
  openHeader,
  type PackedHeader,
  type Sums,
} from '../contract/call-header.js';
import { isJsonAtTop } from '../contract/json.js';
import { runInAttempt } from './attempt-context.js';
import { attemptBudgetMs, startDeadline } from './deadline.js';
import {
  attemptFailure,
  cancelledFailure,
  interruptedFailure,
  observedFailure,
  sumsDetail,
  waitFailure,
} from './failure.js';
import { type HeartbeatSlot, shareHeartbeats } from './heartbeat.js';
import { type FailedAttempt, judge } from './verdict.js';
import { WaitError } from './wait-error.js';

/** Returns the worker's half of the gate for one activity. */
export function activityInterceptors(context: Context): ActivityInterceptors {
  return { inbound: { execute: (input, next) => execute(context, input, next) } };
}

type Following = Next<ActivityInboundCallsInterceptor, 'execute'>;
type Run = { readonly context: Context; readonly header: CallHeader; readonly slot: HeartbeatSlot };

function execute(context: Context, input: ActivityExecuteInput, next: Following): Promise<unknown> {
  const payload = input.headers[headerNames.call];
  if (payload === undefined) return next(input);
  const header = openHeader(defaultPayloadConverter.fromPayload<PackedHeader>(payload));
  const slot = shareHeartbeats(context, header.before);
  return runAttempt({ context, header, slot }, () => next(input));
}

async function runAttempt(run: Run, work: () => Promise<unknown>): Promise<unknown> {
  const { context, header, slot } = run;
  const before = slot.sums;
  const taskEndsAt = performance.now() + taskTimeLeftMs(run);
  const deadline = startDeadline(attemptTimeMs(run), context.cancellationSignal);
  const attempt = {
    header,
    attempt: before.failed.length + 1,
    retriesLeft: Math.max(0, header.share - before.failed.length),
    signal: deadline.signal,
    timeLeftMs: deadline.timeLeftMs,
    addTokens: slot.addTokens,
  };
  if (before.failed === '') logAdmission(run);
  if (!header.adopted) slot.startBeating();
  try {
    // User code that was governed from outside may clean up after a cancellation, as without us.
    const end = header.adopted || header.mode === 'observe' ? deadline.expired : deadline.passed;
    const value = await runInAttempt(attempt, () => settled(work, end));
    return envelope(value, before, slot.tokens);
  } catch (thrown) {
    if (thrown instanceof CompleteAsyncError) throw thrown;
    throw failureOf(run, {
      thrown,
      before,
      tokens: slot.tokens,
      timeLeftMs: Math.max(0, taskEndsAt - performance.now()),
    });
  } finally {
    slot.stopBeating();
    deadline.stop();
  }
}

/** Waits for the work, or for its deadline: work that ignores its signal is left behind. */
function settled(work: () => Promise<unknown>, end: Promise<never>): Promise<unknown> {
  const working = work();
  working.catch(() => {}); // left behind, it has nobody to tell
  return Promise.race([working, end]);
}

/** Only differences of the server's own times are used: the worker's clock may be off. */
function taskTimeLeftMs({ context, header }: Run): number {
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = context.info;
  const spentMs = Math.max(0, currentAttemptScheduledTimestampMs - scheduledTimestampMs);
  return (header.timeLeftMs ?? Number.POSITIVE_INFINITY) - spentMs;
}

function attemptTimeMs(run: Run): number {
  if (run.header.mode === 'observe') return Number.POSITIVE_INFINITY;
  const { startToCloseTimeoutMs } = run.context.info;
  const own = startToCloseTimeoutMs > 0 ? startToCloseTimeoutMs : Number.POSITIVE_INFINITY;
  return attemptBudgetMs(Math.min(own, taskTimeLeftMs(run)));
}

/** A value that only another payload converter can carry goes bare; the gate then calls it blind. */
function envelope(value: unknown, sums: Sums, tokens: number): unknown {
  if (value !== undefined && !isJsonAtTop(value)) return value;
  return envelopeOf(value, sums, tokens);
}

type Failed = Pick<FailedAttempt, 'thrown' | 'before' | 'tokens' | 'timeLeftMs'>;

function failureOf(run: Run, failed: Failed): Error {
  const { context, header, slot } = run;
  const { thrown, before } = failed;
  const isObserved = header.mode === 'observe';
  const isCut = context.cancellationSignal.aborted && (!isObserved || isAbort(thrown));
  if (isCut) return cutOff(run, failed);
  if (thrown instanceof WaitError) {
    logVerdict(run, { failed: before.failed.length + 1, decision: 'wait', reason: thrown.what });
    return waitFailure({ sums: before, waitMs: thrown.waitMs, what: thrown.what });
  }
  const verdict = judge({ ...failed, header, nowMs: Date.now(), random: Math.random });
  const { classification, sums, stop, delayMs } = verdict;
  const reason = stop ?? (delayMs === undefined ? 'no retry' : `retry in ${Math.ceil(delayMs)} ms`);
  logVerdict(run, {
    failed: sums.failed.length,
    decision: delayMs === undefined ? 'stop' : 'retry',
    reason: `${classification.class}: ${reason}`,
  });
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
  if (isObserved) return observedFailure(failed.thrown, detail);
  return attemptFailure({ thrown: failed.thrown, detail, delayMs, adopted: header.adopted });
}

function isAbort(thrown: unknown): boolean {
  return thrown instanceof CancelledFailure || readKey(thrown, 'name') === 'AbortError';
}

/** The attempt was cut off from outside: by a cancellation, or by its worker's shutdown. */
function cutOff(run: Run, { before, tokens }: Failed): Error {
  const { context, header } = run;
  const cause: unknown = context.cancellationSignal.reason;
  const message = cause instanceof Error ? cause.message : String(cause);
  const sums: Sums = {
    ...before,
    tokensWasted: before.tokensWasted + tokens,
    ambiguous: before.ambiguous || header.effect !== 'read',
  };
  const isShutdown = message === 'WORKER_SHUTDOWN' && header.mode === 'on';
  const decision = isShutdown ? 'interrupted' : 'cancelled';
  logVerdict(run, { failed: before.failed.length + 1, decision, reason: message });
  if (isShutdown) return interruptedFailure(sumsDetail(sums));
  return cancelledFailure(message, sumsDetail(sums));
}

/** The gate's admission, said by the first attempt that it let through. */
function logAdmission({ context, header }: Run): void {
  const reason = `share ${header.share}`;
  context.log.debug('holdfast', {
    ...callOf(context, header),
    attempt: 1,
    decision: 'admit',
    reason,
  });
}

function callOf(
  { info }: Context,
  { downstream }: CallHeader,
): { readonly task: string | undefined; readonly tool: string; readonly downstream: string } {
  return { task: info.workflowExecution?.workflowId, tool: info.activityType, downstream };
}

function logVerdict(
  { context, header }: Run,
  {
    failed,
    decision,
    reason,
  }: { readonly failed: number; readonly decision: string; readonly reason: string },
): void {
  context.log.info('holdfast', { ...callOf(context, header), attempt: failed, decision, reason });
}
