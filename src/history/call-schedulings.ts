import type { ActivityFacts } from './run-facts.js';

/** The schedulings of one call, the first one first: never none. */
export type Schedulings = readonly [ActivityFacts, ...ActivityFacts[]];

/**
 * Returns the calls of a run in the order in which they were first scheduled. The gate schedules a call again under
 * its activity id: after a wait, after an interruption, and once a person has settled what became of a write. Any
 * other activity is a call by itself.
 */
export function callsOf(activities: readonly ActivityFacts[]): readonly Schedulings[] {
  const calls: [ActivityFacts, ...ActivityFacts[]][] = [];
  const byId = new Map<string, [ActivityFacts, ...ActivityFacts[]]>();
  for (const activity of activities) {
    const earlier = byId.get(activity.activityId);
    const last = earlier?.at(-1);
    if (earlier !== undefined && last !== undefined && goesOn(last, activity)) {
      earlier.push(activity);
      continue;
    }
    const call: [ActivityFacts] = [activity];
    calls.push(call);
    byId.set(activity.activityId, call);
  }
  return calls;
}

/** Whoever names activities by ids of their own may use one again: that is another call. */
function goesOn(last: ActivityFacts, next: ActivityFacts): boolean {
  if (last.call === null || next.call === null || last.type !== next.type) return false;
  if (last.end === 'wait' || last.end === 'interrupted') return true;
  const isLost = last.end === 'failed' || last.end === 'timed-out';
  return isLost && last.call.key !== null && last.call.key === next.call.key;
}
