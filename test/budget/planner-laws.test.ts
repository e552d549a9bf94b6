import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type PlanNode,
  type PlanPolicy,
  planRetryBudget,
  retryCap,
  worstCaseRetryCost,
} from '../../src/budget/index.js';
import { anyChain, anyPolicy } from '../support/arbitrary-chains.js';
import { bestChainSuccess, chainSuccessOf, slowRetries } from '../support/slow-planner.js';

function retriesOf(nodes: readonly PlanNode[], policy: PlanPolicy): readonly number[] {
  return planRetryBudget(nodes, policy).allocations.map(({ retries }) => retries);
}

function oneMore(policy: PlanPolicy): PlanPolicy {
  return { ...policy, globalRetryBudget: policy.globalRetryBudget + 1 };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Allows for rounding: near a rate of 1 the digits of 1 - f^(k+1) are few. */
function nearly(success: number): number {
  return success * (1 - 1e-12) - 1e-14;
}

const chainSuccess = anyPolicy.map((policy) => ({
  ...policy,
  objective: 'chain-success' as const,
}));

describe('a plan, for any chain and policy', () => {
  it('is the one that a scan of every gain makes', () => {
    fc.assert(
      fc.property(anyChain, anyPolicy, (nodes, policy) => {
        assert.deepEqual(retriesOf(nodes, policy), slowRetries(nodes, policy));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the one that a scan makes for a long chain with a large budget', () => {
    const nodes = Array.from({ length: 120 }, (_, index) => ({
      id: `node-${index}`,
      failureRate: ((index * 37) % 95) / 100,
      attemptCostMicros: (index * 13) % 7,
      latencyMs: 1,
      maxRetries: 20,
      required: index % 4 !== 0,
    }));
    for (const objective of ['absolute-gain', 'chain-success'] as const) {
      const policy: PlanPolicy = {
        globalRetryBudget: 900,
        consecutiveFailureThreshold: 'Infinity',
        halfOpenAfterCalls: 3,
        objective,
      };
      assert.deepEqual(retriesOf(nodes, policy), slowRetries(nodes, policy));
    }
  });

  it('never exceeds the budget or a cap', () => {
    fc.assert(
      fc.property(anyChain, anyPolicy, (nodes, policy) => {
        const retries = retriesOf(nodes, policy);
        assert.ok(sum(retries) <= policy.globalRetryBudget);
        nodes.forEach((node, index) => {
          assert.ok((retries[index] ?? 0) <= retryCap(node, policy));
        });
      }),
    );
  });

  it('never loses chain success by a larger budget, with either objective', () => {
    fc.assert(
      fc.property(anyChain, anyPolicy, (nodes, policy) => {
        const less = planRetryBudget(nodes, policy);
        const more = planRetryBudget(nodes, oneMore(policy));
        assert.ok(more.chainSuccess >= less.chainSuccess);
        assert.ok(more.partialProbability <= less.partialProbability);
      }),
    );
  });

  it('keeps every retry that a smaller budget gave', () => {
    fc.assert(
      fc.property(anyChain, anyPolicy, (nodes, policy) => {
        const less = retriesOf(nodes, policy);
        const more = retriesOf(nodes, oneMore(policy));
        less.forEach((retries, index) => {
          assert.ok((more[index] ?? 0) >= retries);
        });
        assert.ok(sum(more) - sum(less) <= 1);
      }),
    );
  });

  it('costs and attempts no more than its worst case', () => {
    fc.assert(
      fc.property(anyChain, anyPolicy, (chain, policy) => {
        // Nearer to 1 the closed form of the mean attempts loses digits by cancellation.
        const nodes = chain.map((node) => ({
          ...node,
          failureRate: Math.min(node.failureRate, 0.999),
        }));
        const plan = planRetryBudget(nodes, policy);
        const worst = worstCaseRetryCost(nodes, policy);
        assert.ok(nodes.length + plan.retriesUsed <= worst.maxAttempts);
        assert.ok(plan.expectedCostMicros <= worst.maxCostMicros);
      }),
    );
  });

  it('survives JSON: the same plan comes from a parsed copy of its input', () => {
    fc.assert(
      fc.property(anyChain, anyPolicy, (nodes, policy) => {
        const wire = policy.consecutiveFailureThreshold === Number.POSITIVE_INFINITY;
        const sent: PlanPolicy = wire
          ? { ...policy, consecutiveFailureThreshold: 'Infinity' }
          : policy;
        // A copy of a valid request has its types.
        const copy = JSON.parse(JSON.stringify([nodes, sent])) as [PlanNode[], PlanPolicy];
        assert.deepEqual(planRetryBudget(...copy), planRetryBudget(nodes, policy));
      }),
    );
  });
});

describe('the objective chain-success', () => {
  it('reaches the best product that brute force finds', () => {
    fc.assert(
      fc.property(anyChain, chainSuccess, (nodes, policy) => {
        const required = nodes.map((node) => ({ ...node, required: true }));
        const best = bestChainSuccess(required, policy);
        const reached = chainSuccessOf(required, retriesOf(required, policy));
        assert.ok(reached >= nearly(best), `${reached} of ${best}`);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never does worse than absolute-gain', () => {
    fc.assert(
      fc.property(anyChain, chainSuccess, (nodes, policy) => {
        const absolute = retriesOf(nodes, { ...policy, objective: 'absolute-gain' });
        const reached = chainSuccessOf(nodes, retriesOf(nodes, policy));
        assert.ok(reached >= nearly(chainSuccessOf(nodes, absolute)));
      }),
    );
  });

  it('never loses chain success by a larger cap', () => {
    fc.assert(
      fc.property(anyChain, chainSuccess, fc.nat(), (nodes, policy, pick) => {
        const chosen = pick % nodes.length;
        const plain = nodes.map(({ retryFailureRates: _, ...node }) => node);
        const more = plain.map((node, index) =>
          index === chosen ? { ...node, maxRetries: node.maxRetries + 1 } : node,
        );
        const reached = chainSuccessOf(more, retriesOf(more, policy));
        assert.ok(reached >= nearly(chainSuccessOf(plain, retriesOf(plain, policy))));
      }),
    );
  });
});
