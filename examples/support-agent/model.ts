import { defineModel } from 'holdfast/contract';

/** The model that chooses the agent's tools; the worker says which one it is. */
export const supportModel = defineModel({
  name: 'support',
  downstream: 'model',
  estimate: { failureRate: 0.15, attemptCostMicros: 900, latencyMs: 350 },
  attemptTimeoutMs: 30_000,
  heartbeatTimeoutMs: 3_000,
  expectedCalls: 5,
});
