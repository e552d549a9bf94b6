import type { ActivityFacts } from './run-facts.js';

/** The schedulings of one call, the first one first: never none. */
export type Schedulings = readonly [ActivityFacts, ...ActivityFacts[]];

/**
 * Returns the calls of a run in the order in which they were first scheduled. The gate schedules a call again under
 * its activity id after a wait or an interruption; any other activity is a call by itself.
 */
export function callsOf(activities: readonly ActivityFacts[]): readonly Schedulings[] {
  const calls: [ActivityFacts, ...ActivityFacts[]][] = [];
  const goesOn = new Map<string, [ActivityFacts, ...ActivityFacts[]]>();
  for (const activity of activities) {
    const earlier = activity.call === null ? undefined : goesOn.get(activity.activityId);
    if (earlier === undefined) calls.push([activity]);
    else earlier.push(activity);
    const call = earlier ?? calls.at(-1);
    if (call === undefined) continue;
    if (activity.end === 'wait' || activity.end === 'interrupted') {
      goesOn.set(activity.activityId, call);
    } else goesOn.delete(activity.activityId);
  }
  return calls;
}
