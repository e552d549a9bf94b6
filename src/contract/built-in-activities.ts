/** Activities that holdfast's plugin registers with every worker. The gate lets them through. */
export const builtInActivities = {
  /** Reads what another workflow has spent. Takes its id, returns Spent. */
  spentBudget: 'holdfast_spent_budget',
  /** Loads a policy from the worker's source. Takes its name, returns PolicyInput. */
  loadPolicy: 'holdfast_load_policy',
} as const;

const PREFIX = 'holdfast_';

/** Tells whether an activity is one of holdfast's own. */
export function isBuiltIn(activityType: string): boolean {
  return activityType.startsWith(PREFIX);
}
