import type { ActivityOptions } from '@temporalio/workflow';

// Inside the options, since a plain activity call has no other place that the gate sees.
const OCCURRENCE = Symbol.for('holdfast.occurrence');

type Marked = ActivityOptions & { [OCCURRENCE]?: string };

/**
 * Returns options for plain activity calls that mean another effect than equal calls of the same workflow id:
 * `proxyActivities<typeof activities>(forOccurrence(options, '2026-12'))`.
 */
export function forOccurrence<O extends ActivityOptions>(options: O, occurrence: string): O {
  const marked: O & Marked = { ...options, [OCCURRENCE]: occurrence };
  return marked;
}

/** Returns what tells a plain call apart from equal ones; undefined where nothing does. */
export function occurrenceOf(options: ActivityOptions): string | undefined {
  const marked: Marked = options;
  return marked[OCCURRENCE];
}
