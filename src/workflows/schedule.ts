import { msOptionalToNumber } from '@temporalio/common/lib/time.js';
import {
  ActivityCancellationType,
  type ActivityInput,
  type ActivityOptions,
  defaultPayloadConverter,
} from '@temporalio/workflow';
import {
  type ApprovalGiven,
  type CallHeader,
  headerNames,
  packHeader,
  type SettledResult,
  type Sums,
} from '../contract/call-header.js';
import { callName, type GovernedTool } from '../contract/governed-tool.js';
import type { Settlement } from '../contract/messages.js';
import type { CallSettings } from './run-context.js';

/** What identifies a call's effect, and what a person said of it. */
export type CallIdentity = {
  readonly key: string | null;
  readonly fingerprint: string | null;
  /** True where the tool itself says what makes its calls equal. */
  readonly ownIdentity: boolean;
  readonly approval: ApprovalGiven | null;
  /** The key of the effect that the call takes back. */
  readonly undoes?: string | undefined;
};

/** One scheduling of a call. */
export type Scheduling = {
  readonly tool: GovernedTool;
  readonly settings: CallSettings;
  readonly mode: 'on' | 'observe';
  readonly adopted: boolean;
  readonly identity: CallIdentity;
  readonly tenant: string | undefined;
  readonly share: number;
  /** What attempts of earlier schedulings did. */
  readonly before: Sums;
  readonly maximumAttempts: number;
  /** Infinity without a deadline. */
  readonly timeLeftMs: number;
  readonly tokensLeft: number | null;
  readonly maxPayloadBytes: number;
  /** What a person knows of the effect, which was unknown. */
  readonly settlement: Settlement | null;
  /** True where cancelling waits for a write in flight. */
  readonly waitsForWrite: boolean;
  /** The place in the limiter's queue that an earlier wait was given. */
  readonly ticket: string | null;
  /** True where the result is kept in the conversation store and only its hash comes back. */
  readonly byReference: boolean;
};

/** Timeouts by which a lost worker shows: they come back to the workflow at once. */
const LOST_WORKER_TIMEOUTS = ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat'];
const COEFFICIENT = 2;

/** Returns the activity as it is scheduled: the share as its retry policy, and the call's header. */
export function scheduleInput(input: ActivityInput, scheduling: Scheduling): ActivityInput {
  const headers = {
    ...input.headers,
    [headerNames.call]: defaultPayloadConverter.toPayload(packHeader(callHeader(scheduling))),
  };
  if (scheduling.mode === 'observe') return { ...input, headers };
  const { settlement } = scheduling;
  const args = settlement?.done ? [...input.args, settledResult(settlement)] : input.args;
  return { ...input, args, headers, options: governedOptions(input.options, scheduling) };
}

function settledResult({ result }: Settlement): SettledResult {
  return { $holdfastResult: result };
}

/** Returns the retries that a plain activity call's own options allow at most. */
export function ownMaxRetries({ retry }: ActivityOptions): number {
  const attempts = retry?.maximumAttempts;
  return attempts === undefined || attempts < 1 ? Number.MAX_SAFE_INTEGER : attempts - 1;
}

/** Returns the milliseconds that a plain activity call's own options give all its attempts together. */
export function ownTimeMs({ scheduleToCloseTimeout }: ActivityOptions): number {
  const ownMs = msOptionalToNumber(scheduleToCloseTimeout);
  return ownMs === undefined || ownMs <= 0 ? Number.POSITIVE_INFINITY : ownMs; // 0 is no limit to the server
}

function governedOptions(options: ActivityOptions, scheduling: Scheduling): ActivityOptions {
  const { tool, settings, share, timeLeftMs } = scheduling;
  const { backoff } = settings.call;
  return {
    ...options,
    summary:
      options.summary ?? `${callName(tool)}, share ${share} ${share === 1 ? 'retry' : 'retries'}`,
    ...(Number.isFinite(timeLeftMs) ? { scheduleToCloseTimeout: Math.ceil(timeLeftMs) } : {}),
    ...(scheduling.waitsForWrite
      ? { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED }
      : {}),
    retry: {
      ...options.retry,
      initialInterval: Math.ceil(backoff.baseMs),
      backoffCoefficient: COEFFICIENT,
      maximumInterval: Math.ceil(Math.max(backoff.baseMs, backoff.capMs)),
      maximumAttempts: Math.max(1, scheduling.maximumAttempts),
      nonRetryableErrorTypes: [
        ...(options.retry?.nonRetryableErrorTypes ?? []),
        ...LOST_WORKER_TIMEOUTS,
      ],
    },
  };
}

function callHeader(scheduling: Scheduling): CallHeader {
  const { tool, identity, tenant, settlement } = scheduling;
  const { call: policy, downstream } = scheduling.settings;
  return {
    v: 1,
    downstream: tool.downstream,
    effect: tool.effect,
    mode: scheduling.mode,
    adopted: scheduling.adopted,
    key: identity.key,
    fingerprint: identity.fingerprint,
    share: scheduling.share,
    before: scheduling.before,
    tokensLeft: scheduling.tokensLeft,
    timeLeftMs: Number.isFinite(scheduling.timeLeftMs) ? scheduling.timeLeftMs : null,
    ...(tenant === undefined ? {} : { tenant }),
    backoff: policy.backoff,
    hintCapMs: policy.hintCapMs,
    ownIdentity: identity.ownIdentity,
    keyWindowMs: tool.keyWindowMs,
    approval: identity.approval,
    undoes: identity.undoes ?? null,
    settlement:
      settlement === null
        ? null
        : { done: settlement.done, by: settlement.by, note: settlement.note ?? '' },
    maxPayloadBytes: scheduling.maxPayloadBytes,
    ratio: downstream.ratio,
    limits: downstream.limits,
    workerBreaker: downstream.workerBreaker,
    ticket: scheduling.ticket,
    byReference: scheduling.byReference,
  };
}
