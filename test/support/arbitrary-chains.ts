import fc from 'fast-check';
import type { PlanNode, PlanPolicy } from '../../src/budget/index.js';

/** Failure rates: a coarse grid, which makes ties common, the extremes, and anything between. */
export const anyRate = fc.oneof(
  fc.integer({ min: 0, max: 19 }).map((step) => step / 20),
  fc.constantFrom(0, 1e-200, 1e-160, 1e-9, 0.999, 1 - 2 ** -53),
  fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
);

const body = {
  failureRate: anyRate,
  attemptCostMicros: fc.oneof(fc.constantFrom(0, 100), fc.integer({ min: 0, max: 5_000_000 })),
  latencyMs: fc.integer({ min: 0, max: 60_000 }),
  maxRetries: fc.integer({ min: 0, max: 5 }),
  required: fc.boolean(),
};

const independent: fc.Arbitrary<Omit<PlanNode, 'id'>> = fc.record(body);

const withRetryRates: fc.Arbitrary<Omit<PlanNode, 'id'>> = fc.record({
  ...body,
  retryFailureRates: fc
    .array(anyRate, { minLength: 5, maxLength: 6 })
    .map((rates) => rates.toSorted((a, b) => a - b)),
});

/** Chains of 1 to 6 nodes, some of them with rates of their own for retries. */
export const anyChain: fc.Arbitrary<readonly PlanNode[]> = fc
  .array(fc.oneof({ weight: 3, arbitrary: independent }, withRetryRates), {
    minLength: 1,
    maxLength: 6,
  })
  .map((nodes) => nodes.map((node, index) => ({ ...node, id: `node-${index}` })));

/** Policies of both objectives, with thresholds in both forms of Infinity too. */
export const anyPolicy: fc.Arbitrary<PlanPolicy> = fc.record({
  globalRetryBudget: fc.integer({ min: 0, max: 12 }),
  consecutiveFailureThreshold: fc.constantFrom<number | 'Infinity'>(
    1,
    2,
    3,
    5,
    Number.POSITIVE_INFINITY,
    'Infinity',
  ),
  halfOpenAfterCalls: fc.integer({ min: 1, max: 5 }),
  objective: fc.constantFrom('absolute-gain' as const, 'chain-success' as const),
});
