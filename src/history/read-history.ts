import type { temporal } from '@temporalio/proto';
import { headerNames } from '../contract/call-header.js';
import { isPlainObject } from '../contract/json.js';
import {
  asList,
  asMessage,
  asNumber,
  asText,
  durationMs,
  isPresent,
  type Raw,
  textOrNull,
  timeMs,
} from './raw-values.js';
import { createActivityReader } from './read-activities.js';
import type { RawEvent } from './read-activity.js';
import { createChildReader } from './read-children.js';
import { readFailure } from './read-failure.js';
import { readPayloadMap, readPayloads } from './read-payload.js';
import { readRetryPolicy } from './read-retry-policy.js';
import type { FailureFacts, RunFacts, RunStatus } from './run-facts.js';

/** What is known of a run besides its history. */
export type RunContext = {
  readonly namespace?: string;
  /** @default what the history says; servers of old don't put it there */
  readonly workflowId?: string;
  /** @default what the history says, which after a reset is the run that was reset */
  readonly runId?: string;
  /** `pendingActivities` of the server's description of the run. */
  readonly pendingActivities?: readonly object[] | null;
  /** `historySizeBytes` of that description. */
  readonly historyBytes?: number;
};

/** A history: of protobuf, or as `temporal workflow show -o json`, the UI and SDKs write it. */
export type RawHistory =
  | temporal.api.history.v1.IHistory
  | { readonly events?: readonly object[] | null };

/** The statuses by the attributes of the event that ends a run. */
const runEnds: Readonly<Record<string, RunStatus>> = {
  workflowExecutionCompletedEventAttributes: 'completed',
  workflowExecutionFailedEventAttributes: 'failed',
  workflowExecutionCanceledEventAttributes: 'canceled',
  workflowExecutionTerminatedEventAttributes: 'terminated',
  workflowExecutionTimedOutEventAttributes: 'timed-out',
  workflowExecutionContinuedAsNewEventAttributes: 'continued-as-new',
};

const ownHeaders = [headerNames.start, headerNames.state, headerNames.child];

/**
 * Returns what a run's history tells. It may be of any workflow and any SDK, cut off anywhere, and hold events
 * and payloads that nobody here knows: what can't be read is left out. It never throws.
 */
export function readRun(history: RawHistory, context: RunContext = {}): RunFacts {
  const reader = createRunReader();
  for (const event of asList(history.events)) reader.read(event);
  return reader.facts(context);
}

/** Reads a run's events in their order, so that no more than a page of them need be at hand. */
export type RunReader = {
  readonly read: (event: unknown) => void;
  readonly facts: (context?: RunContext) => RunFacts;
};

/** Makes a reader of one run's events. */
export function createRunReader(): RunReader {
  const activities = createActivityReader();
  const children = createChildReader();
  let started: Raw = {};
  let firstAt: number | null = null;
  let end:
    | { readonly status: RunStatus; readonly at: number; readonly attributes: Raw }
    | undefined;
  let searchAttributes: Raw = {};
  let hasOwnPatch = false;
  let historyBytes = 0;
  let events = 0;
  const read = (value: unknown): void => {
    const event = asMessage(value);
    const kind = attributesName(event);
    const at = timeMs(event.eventTime) ?? 0;
    const attributes = asMessage(event[kind]);
    const known: RawEvent = { id: asNumber(event.eventId), at, attributes, event };
    events += 1;
    firstAt ??= at;
    const status = runEnds[kind];
    if (status !== undefined) end = { status, at, attributes };
    switch (kind) {
      case 'workflowExecutionStartedEventAttributes':
        started = attributes;
        searchAttributes = readSearchAttributes(attributes);
        break;
      case 'upsertWorkflowSearchAttributesEventAttributes':
        searchAttributes = { ...searchAttributes, ...readSearchAttributes(attributes) };
        break;
      case 'workflowTaskStartedEventAttributes':
        historyBytes = Math.max(historyBytes, asNumber(attributes.historySizeBytes));
        break;
      case 'markerRecordedEventAttributes':
        hasOwnPatch ||= isOwnPatch(attributes);
        activities.read(kind, known);
        break;
      default:
        activities.read(kind, known);
        children.read(kind, known);
    }
  };
  return {
    read,
    facts: (context = {}) => {
      const endedAt = end?.at ?? null;
      const pending = context.pendingActivities ?? [];
      const read = activities.activities({ pending, runEndedAt: endedAt });
      const hasOwnHeader = ownHeaders.some((name) =>
        isPresent(asMessage(asMessage(started.header).fields)[name]),
      );
      return {
        namespace: context.namespace ?? null,
        workflowId: context.workflowId ?? asText(started.workflowId),
        runId: context.runId ?? asText(started.originalExecutionRunId),
        ...startFacts(started),
        status: end?.status ?? 'running',
        startedAt: firstAt ?? 0,
        endedAt,
        continuedAs: textOrNull(end?.attributes.newExecutionRunId),
        failure: end === undefined ? null : runFailure(end.status, end.attributes),
        isGoverned: hasOwnHeader || hasOwnPatch || read.some(({ call }) => call !== null),
        searchAttributes,
        events,
        historyBytes: Math.max(historyBytes, context.historyBytes ?? 0),
        activities: read,
        children: children.children(),
      };
    },
  };
}

/** Each event has one set of attributes, by whose name its kind is known in every spelling. */
function attributesName(event: Raw): string {
  const named = Object.keys(event).find(
    (name) => name.endsWith('EventAttributes') && isPresent(event[name]),
  );
  return named ?? '';
}

function startFacts(
  started: Raw,
): Pick<
  RunFacts,
  | 'workflowType'
  | 'taskQueue'
  | 'attempt'
  | 'retryPolicy'
  | 'executionTimeoutMs'
  | 'runTimeoutMs'
  | 'parent'
  | 'continuedFrom'
> {
  const parent = asMessage(started.parentWorkflowExecution);
  return {
    workflowType: asText(asMessage(started.workflowType).name),
    taskQueue: asText(asMessage(started.taskQueue).name),
    attempt: Math.max(1, asNumber(started.attempt)),
    retryPolicy: readRetryPolicy(started.retryPolicy),
    executionTimeoutMs: durationMs(started.workflowExecutionTimeout),
    runTimeoutMs: durationMs(started.workflowRunTimeout),
    parent: isPresent(started.parentWorkflowExecution)
      ? { workflowId: asText(parent.workflowId), runId: asText(parent.runId) }
      : null,
    continuedFrom: textOrNull(started.continuedExecutionRunId),
  };
}

function runFailure(status: RunStatus, { failure }: Raw): FailureFacts | null {
  if (status === 'timed-out') return readFailure(outOfTime);
  return status === 'failed' ? readFailure(failure) : null;
}

const outOfTime = {
  message: 'The run had no time left.',
  timeoutFailureInfo: { timeoutType: 'TIMEOUT_TYPE_START_TO_CLOSE' },
};

function readSearchAttributes({ searchAttributes }: Raw): Raw {
  const fields = readPayloadMap(asMessage(searchAttributes).indexedFields);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The TypeScript SDK notes a patch with its id in a marker. */
function isOwnPatch({ markerName, details }: Raw): boolean {
  if (markerName !== 'core_patch') return false;
  const [patch] = readPayloads(asMessage(details)['patch-data']);
  return isPlainObject(patch) && asText(patch.id).startsWith('holdfast-');
}
