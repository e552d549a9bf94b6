export type { PolicyInput } from './contract/policy.js';
export { definePolicy } from './contract/policy-check.js';
export { governActivities } from './workflows/adoption.js';
export { forOccurrence } from './workflows/occurrence.js';
