import { definePolicy, governActivities } from '../../../adoption.js';

/** The policy module of a user who adopts holdfast: nothing in the workflows changes. */
export const interceptors = governActivities(
  definePolicy({
    globalRetryBudget: 3,
    tools: {
      lookUp: { downstream: 'orders', expectedCalls: 1 },
      decide: { downstream: 'model', expectedCalls: 1 },
      reply: { downstream: 'mail', expectedCalls: 1 },
    },
  }),
);
