/** What the types of the activities begin with that holdfast's plugin registers. The gate lets them through. */
const PREFIX = 'holdfast_';

/** Tells whether an activity is one of holdfast's own. */
export function isBuiltIn(activityType: string): boolean {
  return activityType.startsWith(PREFIX);
}
