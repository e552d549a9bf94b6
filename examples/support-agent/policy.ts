import { definePolicy, modelDownstream } from 'holdfast/contract';

/** What one ticket may spend. */
export const policy = definePolicy({
  globalRetryBudget: 6,
  deadlineMs: 120_000,
  // A model that is back soon is asked again soon: by default a worker leaves it alone for 30 seconds.
  downstreams: { model: { ...modelDownstream, workerBreaker: { openForMs: 5_000 } } },
  tokens: { target: 6_000, retryPercent: 10 },
});

/** What a ticket may spend whose steps a model chooses: every turn reads what was said before. */
export const agentPolicy = definePolicy({
  ...policy,
  tokens: { target: 20_000, retryPercent: 10 },
});
