import { asMessage, asNumber, asText, textOrNull } from './raw-values.js';
import type { RawEvent } from './read-activity.js';
import { readRetryPolicy } from './read-retry-policy.js';
import type { ChildFacts } from './run-facts.js';

/** How a child ended, by the attributes of the event that says so. */
const childEnds = {
  startChildWorkflowExecutionFailedEventAttributes: 'not-started',
  childWorkflowExecutionCompletedEventAttributes: 'completed',
  childWorkflowExecutionFailedEventAttributes: 'failed',
  childWorkflowExecutionCanceledEventAttributes: 'canceled',
  childWorkflowExecutionTimedOutEventAttributes: 'timed-out',
  childWorkflowExecutionTerminatedEventAttributes: 'terminated',
} as const satisfies Record<string, ChildFacts['status']>;

/** The children of one run, read event by event. */
export type ChildReader = {
  /** Reads an event, by the name of its attributes, where it is about a child. */
  readonly read: (kind: string, event: RawEvent) => void;
  readonly children: () => readonly ChildFacts[];
};

/** Makes a reader of the children of one run. */
export function createChildReader(): ChildReader {
  const byEvent = new Map<number, ChildFacts>();
  const change = ({ attributes }: RawEvent, changes: Partial<ChildFacts>): void => {
    const initiated = asNumber(attributes.initiatedEventId);
    const child = byEvent.get(initiated);
    if (child !== undefined) byEvent.set(initiated, { ...child, ...changes });
  };
  return {
    read: (kind, event) => {
      if (kind === 'startChildWorkflowExecutionInitiatedEventAttributes') {
        byEvent.set(event.id, initiatedChild(event));
      } else if (kind === 'childWorkflowExecutionStartedEventAttributes') {
        change(event, { runId: textOrNull(asMessage(event.attributes.workflowExecution).runId) });
      } else if (Object.hasOwn(childEnds, kind)) {
        const status = childEnds[kind as keyof typeof childEnds]; // hasOwn has just found it
        change(event, { status, endedAt: event.at });
      }
    },
    children: () => [...byEvent.values()],
  };
}

function initiatedChild({ id, at, attributes }: RawEvent): ChildFacts {
  return {
    eventId: id,
    workflowId: asText(attributes.workflowId),
    runId: null,
    workflowType: asText(asMessage(attributes.workflowType).name),
    startedAt: at,
    endedAt: null,
    status: 'running',
    retryPolicy: readRetryPolicy(attributes.retryPolicy),
  };
}
