import {
  asMessage,
  asNumber,
  asText,
  durationMs,
  isPresent,
  type Raw,
  timeMs,
} from './raw-values.js';
import { type RawEvent, readRetryState } from './read-activity.js';
import { readFailure } from './read-failure.js';
import { readPayloads } from './read-payload.js';
import { noRetries, readTimeouts } from './read-retry-policy.js';
import type { ActivityEnd, ActivityFacts } from './run-facts.js';

/** The local activities of one run, read event by event. */
export type LocalActivityReader = {
  /** Reads a marker, where it is of a local activity. */
  readonly read: (event: RawEvent) => void;
  /** Changes those that have been read so far. */
  readonly copy: (copied: (facts: ActivityFacts) => ActivityFacts) => void;
  /** Returns all; one that waits when its run ends is left behind. */
  readonly activities: (runEndedAt: number | null) => readonly ActivityFacts[];
};

/**
 * What a marker tells: `waits` where a timer of the workflow goes before the next attempts, whose marker then has the
 * same `since`.
 */
type Told = {
  readonly facts: ActivityFacts;
  readonly waits: boolean;
  readonly since: number | null;
};

/** How the SDKs name the marker: those that are built on Core, and those of Go and Java. */
const markerNames: ReadonlySet<unknown> = new Set(['core_local_activity', 'LocalActivity']);

/** Makes a reader of the local activities of one run. A worker makes their attempts, and a history holds their end. */
export function createLocalActivityReader(): LocalActivityReader {
  const all: Told[] = [];
  return {
    read: (event) => {
      if (!markerNames.has(event.attributes.markerName)) return;
      const told = toldBy(event);
      const { type, attempts } = told.facts;
      const before = all.findIndex(
        ({ facts, waits, since }) =>
          waits && facts.type === type && facts.attempts < attempts && since === told.since,
      );
      if (before < 0) all.push(told);
      else all.splice(before, 1, continued(told, all[before]));
    },
    copy: (copied) => {
      for (const [index, told] of all.entries()) {
        if (!told.waits) all[index] = { ...told, facts: copied(told.facts) };
      }
    },
    activities: (runEndedAt) =>
      all.map(({ facts, waits }) => {
        if (!waits) return facts;
        return runEndedAt === null
          ? { ...facts, end: 'pending', endedAt: null }
          : { ...facts, end: 'abandoned', endedAt: runEndedAt };
      }),
  };
}

function continued(told: Told, before: Told | undefined): Told {
  if (before === undefined) return told;
  const { eventId, scheduledAt, lastFailure } = before.facts;
  const { facts } = told;
  return {
    ...told,
    facts: { ...facts, eventId, scheduledAt, lastFailure: facts.lastFailure ?? lastFailure },
  };
}

function toldBy({ id, at, attributes }: RawEvent): Told {
  const { activityId, type, attempt, since, waits } = markerData(attributes);
  const failure = isPresent(attributes.failure) ? asMessage(attributes.failure) : undefined;
  const facts: ActivityFacts = {
    eventId: id,
    activityId,
    type,
    isLocal: true,
    isCopied: false,
    taskQueue: '',
    // when it began and ended stands nowhere: the times of a marker are the workflow's own
    scheduledAt: at,
    startedAt: null,
    endedAt: at,
    end: endOf(failure),
    attempts: Math.max(1, attempt),
    attemptsKnown: attempt > 0,
    lastFailure: readFailure(failure),
    lastDelayMs: null,
    nextAttemptAt: null,
    retryState: retryStateOf(failure),
    retryPolicy: noRetries,
    timeouts: readTimeouts({}),
    summary: null,
    call: null,
  };
  return { facts, waits, since };
}

type MarkerData = {
  readonly activityId: string;
  readonly type: string;
  /** 0 where it isn't told. */
  readonly attempt: number;
  /** When it was first called, by its worker's clock. */
  readonly since: number | null;
  readonly waits: boolean;
};

/** Core and Go put all into one payload, with names of their own; Java has a payload for each. */
function markerData(attributes: Raw): MarkerData {
  const details = asMessage(attributes.details);
  const part = (name: string): unknown => readPayloads(details[name])[0];
  const data = asMessage(part('data'));
  const meta = asMessage(part('meta'));
  return {
    activityId: firstText(data.activity_id, data.ActivityID, part('activityId')),
    type: firstText(data.activity_type, data.ActivityType, part('type')),
    attempt: asNumber(data.attempt) || asNumber(data.Attempt) || asNumber(meta.atpt),
    since: timeMs(data.original_schedule_time) ?? (asNumber(meta.firstSkd) || null),
    waits:
      durationMs(data.backoff) !== null || asNumber(data.Backoff) > 0 || asNumber(meta.backoff) > 0,
  };
}

function firstText(...texts: readonly unknown[]): string {
  return texts.map(asText).find((text) => text !== '') ?? '';
}

function endOf(failure: Raw | undefined): ActivityEnd {
  if (failure === undefined) return 'completed';
  const inner = isPresent(failure.cause) ? asMessage(failure.cause) : failure;
  return isPresent(inner.canceledFailureInfo) ? 'canceled' : 'failed';
}

function retryStateOf(failure: Raw | undefined): string | null {
  return readRetryState(asMessage(failure?.activityFailureInfo).retryState);
}
