import {
  asMessage,
  asNumber,
  asText,
  durationMs,
  enumName,
  isPresent,
  type Raw,
  timeMs,
} from './raw-values.js';
import {
  answeredCall,
  type CallEnding,
  failedCall,
  type OpenedCall,
  pendingCall,
  readCallHeader,
} from './read-call.js';
import { readFailure, timeoutTypeOf } from './read-failure.js';
import { readPayload } from './read-payload.js';
import { noRetries, readRetryPolicy, readTimeouts } from './read-retry-policy.js';
import type { ActivityEnd, ActivityFacts } from './run-facts.js';

/** An activity as it is known when it is scheduled, and what its end is read by. */
export type ScheduledActivity = {
  readonly facts: ActivityFacts;
  readonly opened: OpenedCall | null;
};

/** An event: its number, its time, and what its type has of its own. */
export type RawEvent = {
  readonly id: number;
  readonly at: number;
  readonly attributes: Raw;
  readonly event: Raw;
};

const retryStates = {
  prefix: 'RETRY_STATE_',
  names: [
    'IN_PROGRESS',
    'NON_RETRYABLE_FAILURE',
    'TIMEOUT',
    'MAXIMUM_ATTEMPTS_REACHED',
    'RETRY_POLICY_NOT_SET',
    'INTERNAL_SERVER_ERROR',
    'CANCEL_REQUESTED',
  ],
} as const;

/** Returns why the server, or a worker, did not try again; null for none. */
export function readRetryState(value: unknown): string | null {
  return enumName(value, retryStates);
}

const pendingStates = {
  prefix: 'PENDING_ACTIVITY_STATE_',
  names: ['SCHEDULED', 'STARTED', 'CANCEL_REQUESTED', 'PAUSED', 'PAUSE_REQUESTED'],
} as const;

/** Reads an ActivityTaskScheduled event. */
export function scheduledActivity({ id, at, attributes, event }: RawEvent): ScheduledActivity {
  const opened = readCallHeader(attributes);
  const summary = readPayload(asMessage(event.userMetadata).summary);
  const facts: ActivityFacts = {
    eventId: id,
    activityId: asText(attributes.activityId),
    type: asText(asMessage(attributes.activityType).name),
    isLocal: false,
    isCopied: false,
    taskQueue: asText(asMessage(attributes.taskQueue).name),
    scheduledAt: at,
    startedAt: null,
    endedAt: null,
    end: 'pending',
    attempts: 0,
    attemptsKnown: false,
    lastFailure: null,
    lastDelayMs: null,
    nextAttemptAt: null,
    retryState: null,
    retryPolicy: readRetryPolicy(attributes.retryPolicy) ?? noRetries,
    timeouts: readTimeouts(attributes),
    summary: typeof summary === 'string' ? summary : null,
    call: opened?.facts ?? null,
  };
  return { facts, opened };
}

/** Reads an ActivityTaskStarted event: the server writes it once, for the last attempt. */
export function startedActivity(facts: ActivityFacts, { at, attributes }: RawEvent): ActivityFacts {
  const { attempt, lastFailure } = attributes;
  const { applicationFailureInfo } = asMessage(lastFailure);
  return {
    ...facts,
    startedAt: at,
    attempts: Math.max(1, asNumber(attempt)),
    attemptsKnown: true,
    lastFailure: readFailure(lastFailure),
    lastDelayMs: durationMs(asMessage(applicationFailureInfo).nextRetryDelay),
  };
}

/** Reads the event that ended an activity. */
export function endedActivity(
  { facts, opened }: ScheduledActivity,
  ended: RawEvent & { readonly end: ActivityEnd },
): ActivityFacts {
  const { at, attributes } = ended;
  const failure = failureOf(ended);
  const call = opened === null ? null : endedCall(opened, ended, failure);
  const end = call?.end ?? ended.end;
  const isFailure = end !== 'completed' && end !== 'wait';
  return {
    ...facts,
    ...countedAttempts(facts, end, failure),
    endedAt: at,
    end,
    lastFailure: (isFailure ? readFailure(failure) : null) ?? facts.lastFailure,
    retryState: readRetryState(attributes.retryState),
    call: call?.facts ?? null,
  };
}

/** A cancellation says nothing but its details. */
function failureOf({
  end,
  attributes,
}: {
  readonly end: ActivityEnd;
  readonly attributes: Raw;
}): Raw | undefined {
  if (end === 'canceled') return { message: 'It was canceled.', canceledFailureInfo: attributes };
  return isPresent(attributes.failure) ? asMessage(attributes.failure) : undefined;
}

function endedCall(
  opened: OpenedCall,
  { end, attributes }: RawEvent & { readonly end: ActivityEnd },
  failure: Raw | undefined,
): CallEnding {
  if (end === 'completed') return answeredCall(opened, attributes.result);
  return failure === undefined ? { facts: opened.facts, end: null } : failedCall(opened, failure);
}

/** Without a start, an activity ended in its queue, or between two attempts: then its timeout names the failure before. */
function countedAttempts(
  facts: ActivityFacts,
  end: ActivityEnd,
  failure: Raw | undefined,
): Pick<ActivityFacts, 'attempts' | 'attemptsKnown'> {
  if (facts.startedAt !== null) return facts;
  if (end === 'completed' || end === 'failed') return { attempts: 1, attemptsKnown: false };
  if (failure === undefined || timeoutTypeOf(failure) === null)
    return { attempts: 0, attemptsKnown: false };
  const hasFailed = isPresent(failure.cause);
  return { attempts: hasFailed ? 1 : 0, attemptsKnown: !hasFailed };
}

/** Adds what the server's description of a running workflow says of a pending activity. */
export function pendingActivity(
  { facts, opened }: ScheduledActivity,
  value: unknown,
): ActivityFacts {
  const pending = asMessage(value);
  const state = enumName(pending.state, pendingStates);
  const attempt = Math.max(1, asNumber(pending.attempt));
  const isWaiting = state === 'SCHEDULED' || state === 'PAUSED';
  const { applicationFailureInfo } = asMessage(pending.lastFailure);
  return {
    ...facts,
    startedAt: isWaiting ? null : timeMs(pending.lastStartedTime),
    attempts: isWaiting ? attempt - 1 : attempt,
    attemptsKnown: true,
    lastFailure: readFailure(pending.lastFailure),
    lastDelayMs: durationMs(asMessage(applicationFailureInfo).nextRetryDelay),
    nextAttemptAt: isWaiting ? timeMs(pending.nextAttemptScheduleTime) : null,
    call: opened === null ? null : pendingCall(opened, pending.heartbeatDetails),
  };
}
