import { definePolicy, modelDownstream } from 'holdfast/contract';

/** What one ticket may spend. */
export const policy = definePolicy({
  globalRetryBudget: 6,
  deadlineMs: 120_000,
  downstreams: { model: modelDownstream },
  tokens: { target: 6_000, retryPercent: 10 },
});
