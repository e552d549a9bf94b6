import { asList, asMessage, asNumber, asText } from './raw-values.js';
import {
  endedActivity,
  pendingActivity,
  type RawEvent,
  type ScheduledActivity,
  scheduledActivity,
  startedActivity,
} from './read-activity.js';
import { createLocalActivityReader } from './read-local-activities.js';
import type { ActivityEnd, ActivityFacts } from './run-facts.js';

/** How an activity ended, by the attributes of the event that says so. */
const activityEnds = {
  activityTaskCompletedEventAttributes: 'completed',
  activityTaskFailedEventAttributes: 'failed',
  activityTaskTimedOutEventAttributes: 'timed-out',
  activityTaskCanceledEventAttributes: 'canceled',
} as const satisfies Record<string, ActivityEnd>;

/** The activities of one run, read event by event. */
export type ActivityReader = {
  /** Reads an event, by the name of its attributes, where it is about an activity. */
  readonly read: (kind: string, event: RawEvent) => void;
  /** Returns all, with what is known of those that are pending. */
  readonly activities: (rest: {
    /** What the server's description lists. */
    readonly pending: unknown;
    /** When the run ended; null while it runs. */
    readonly runEndedAt: number | null;
  }) => readonly ActivityFacts[];
};

/** Makes a reader of the activities of one run. */
export function createActivityReader(): ActivityReader {
  const byEvent = new Map<number, ScheduledActivity>();
  const cancelRequests = new Map<number, number>();
  const local = createLocalActivityReader();
  const change = (
    { attributes }: RawEvent,
    changed: (activity: ScheduledActivity) => ActivityFacts,
  ): void => {
    const scheduled = asNumber(attributes.scheduledEventId);
    const activity = byEvent.get(scheduled);
    if (activity !== undefined) byEvent.set(scheduled, { ...activity, facts: changed(activity) });
  };
  return {
    read: (kind, event) => {
      if (kind === 'markerRecordedEventAttributes') {
        local.read(event);
      } else if (kind === 'activityTaskScheduledEventAttributes') {
        byEvent.set(event.id, scheduledActivity(event));
      } else if (kind === 'activityTaskStartedEventAttributes') {
        change(event, ({ facts }) => startedActivity(facts, event));
      } else if (kind === 'activityTaskCancelRequestedEventAttributes') {
        cancelRequests.set(asNumber(event.attributes.scheduledEventId), event.at);
      } else if (Object.hasOwn(activityEnds, kind)) {
        const end = activityEnds[kind as keyof typeof activityEnds]; // hasOwn has just found it
        change(event, (activity) => endedActivity(activity, { ...event, end }));
      } else if (kind === 'workflowTaskFailedEventAttributes' && isReset(event)) {
        for (const [id, { facts, opened }] of byEvent) {
          if (facts.end !== 'pending') byEvent.set(id, { opened, facts: copied(facts) });
        }
        local.copy(copied);
      }
    },
    activities: ({ pending, runEndedAt }) => {
      const described = new Map(
        asList(pending).map((one) => [asText(asMessage(one).activityId), one] as const),
      );
      const tasks = [...byEvent.values()].map((activity) => {
        const { facts } = activity;
        if (facts.end !== 'pending') return facts;
        const canceledAt = cancelRequests.get(facts.eventId);
        if (runEndedAt !== null) return leftBehind(facts, runEndedAt, canceledAt);
        const known = described.get(facts.activityId);
        return known === undefined ? facts : pendingActivity(activity, known);
      });
      const locals = local.activities(runEndedAt);
      if (locals.length === 0) return tasks;
      return [...tasks, ...locals].sort((one, other) => one.eventId - other.eventId);
    },
  };
}

/** A reset fails the workflow task up to which it has copied the events of another run. */
function isReset({ attributes }: RawEvent): boolean {
  return asText(attributes.baseRunId) !== '';
}

function copied(facts: ActivityFacts): ActivityFacts {
  return { ...facts, isCopied: true };
}

/** A run that ends waits for no activity: whatever was to be cancelled counts as cancelled from then on. */
function leftBehind(
  facts: ActivityFacts,
  runEndedAt: number,
  canceledAt: number | undefined,
): ActivityFacts {
  if (canceledAt === undefined) return { ...facts, end: 'abandoned', endedAt: runEndedAt };
  return { ...facts, end: 'canceled', endedAt: canceledAt };
}
