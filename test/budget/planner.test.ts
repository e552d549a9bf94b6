import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Plan,
  type PlanNode,
  type PlanPolicy,
  planRetryBudget,
  retryCap,
  type WorstCase,
  worstCaseRetryCost,
} from '../../src/budget/index.js';
import { readVectors } from '../support/vectors.js';

type PlanVector = {
  readonly name: string;
  readonly nodes: readonly PlanNode[];
  readonly policy: PlanPolicy;
  readonly plan: Plan;
  readonly worstCase: WorstCase;
};

const { plans } = readVectors<{ readonly plans: readonly PlanVector[] }>('planner.json');

const policy: PlanPolicy = {
  globalRetryBudget: 3,
  consecutiveFailureThreshold: Number.POSITIVE_INFINITY,
  halfOpenAfterCalls: 3,
};

function node(id: string, more: Partial<PlanNode> = {}): PlanNode {
  return {
    id,
    failureRate: 0.1,
    attemptCostMicros: 100,
    latencyMs: 10,
    maxRetries: 3,
    required: true,
    ...more,
  };
}

function retriesOf(plan: Plan): readonly number[] {
  return plan.allocations.map(({ retries }) => retries);
}

describe('the handed plans', () => {
  it('are 120', () => assert.equal(plans.length, 120));

  for (const { name, nodes, policy: given, plan, worstCase } of plans) {
    it(`${name} is planned to the last digit`, () => {
      assert.deepEqual(planRetryBudget(nodes, given), plan);
    });
    it(`${name} costs what is stated at worst`, () => {
      assert.deepEqual(worstCaseRetryCost(nodes, given), worstCase);
    });
    it(`${name} is planned the same from the wire form of its policy`, () => {
      const wire: PlanPolicy =
        given.consecutiveFailureThreshold === Number.POSITIVE_INFINITY
          ? { ...given, consecutiveFailureThreshold: 'Infinity' }
          : given;
      assert.deepEqual(planRetryBudget(nodes, wire), plan);
    });
    it(`${name} has the stated caps`, () => {
      const caps = nodes.map((each) => retryCap(each, given));
      assert.deepEqual(
        caps,
        plan.allocations.map((allocation) => allocation.retryCap),
      );
    });
  }
});

describe('planRetryBudget', () => {
  const choices: readonly {
    readonly claim: string;
    readonly nodes: readonly PlanNode[];
    readonly policy?: Partial<PlanPolicy>;
    readonly retries: readonly number[];
  }[] = [
    {
      claim: 'gives the first retry to the largest gain',
      nodes: [node('a'), node('b', { failureRate: 0.4 })],
      policy: { globalRetryBudget: 1 },
      retries: [0, 1],
    },
    {
      claim: 'breaks a tie by the lower price',
      nodes: [node('a', { attemptCostMicros: 200 }), node('b', { attemptCostMicros: 199 })],
      policy: { globalRetryBudget: 1 },
      retries: [0, 1],
    },
    {
      claim: 'breaks a tie of price by the earlier node',
      nodes: [node('a'), node('b'), node('c')],
      policy: { globalRetryBudget: 2 },
      retries: [1, 1, 0],
    },
    {
      claim: 'breaks a tie between different rates by the expected price',
      // 0.25·0.75 and 0.75·0.25 are the same number; 0.75·100 is dearer than 0.25·200.
      nodes: [
        node('a', { failureRate: 0.75 }),
        node('b', { failureRate: 0.25, attemptCostMicros: 200 }),
      ],
      policy: { globalRetryBudget: 1 },
      retries: [0, 1],
    },
    {
      claim: 'serves required nodes before optional ones of a larger gain',
      nodes: [node('a', { required: false, failureRate: 0.5 }), node('b', { failureRate: 0.01 })],
      policy: { globalRetryBudget: 3 },
      retries: [0, 3],
    },
    {
      claim: 'gives optional nodes what required ones can no longer use',
      nodes: [node('a', { required: false }), node('b', { maxRetries: 1 })],
      retries: [2, 1],
    },
    {
      claim: 'gives nothing to a node that never fails',
      nodes: [node('a', { failureRate: 0 })],
      retries: [0],
    },
    {
      claim: 'stops where a gain underflows to 0',
      nodes: [node('a', { failureRate: 1e-200, maxRetries: 9 })],
      policy: { globalRetryBudget: 9 },
      retries: [1],
    },
    {
      claim: 'stops at the threshold less one',
      nodes: [node('a', { maxRetries: 9 })],
      policy: { globalRetryBudget: 9, consecutiveFailureThreshold: 3 },
      retries: [2],
    },
    {
      claim: 'gives no retry at a threshold of 1',
      nodes: [node('a')],
      policy: { consecutiveFailureThreshold: 1 },
      retries: [0],
    },
    {
      claim: 'prefers first retries where second ones are known to fail',
      nodes: [
        node('a', { failureRate: 0.3, retryFailureRates: [0.74, 0.97, 0.98] }),
        node('b', { failureRate: 0.1, retryFailureRates: [0.74, 0.97, 0.98] }),
      ],
      policy: { globalRetryBudget: 2 },
      retries: [1, 1],
    },
    {
      claim: 'takes the absolute gain by default',
      nodes: [node('a', { failureRate: 0.009087 }), node('b', { failureRate: 0.1 })],
      policy: { globalRetryBudget: 2 },
      retries: [1, 1],
    },
    {
      claim: 'takes the better product with the objective chain-success',
      nodes: [node('a', { failureRate: 0.009087 }), node('b', { failureRate: 0.1 })],
      policy: { globalRetryBudget: 2, objective: 'chain-success' },
      retries: [0, 2],
    },
  ];

  for (const { claim, nodes, policy: more, retries } of choices) {
    it(claim, () =>
      assert.deepEqual(retriesOf(planRetryBudget(nodes, { ...policy, ...more })), retries),
    );
  }

  it('reaches the stated chain success with either objective', () => {
    const nodes = [node('a', { failureRate: 0.009087 }), node('b', { failureRate: 0.1 })];
    const two = { ...policy, globalRetryBudget: 2 };
    assert.deepEqual(
      [
        planRetryBudget(nodes, two).chainSuccess,
        planRetryBudget(nodes, { ...two, objective: 'chain-success' }).chainSuccess,
      ],
      [0.98991825, 0.98992209],
    );
  });

  it('sums prefix products where retries have rates of their own', () => {
    const nodes = [node('a', { failureRate: 0.5, retryFailureRates: [0.6, 0.8, 0.8] })];
    const [allocation] = planRetryBudget(nodes, { ...policy, globalRetryBudget: 2 }).allocations;
    assert.deepEqual(allocation, {
      nodeId: 'a',
      retries: 2,
      retryCap: 3,
      effectiveFailureRate: 0.24,
      expectedAttempts: 1.8,
      successProbability: 0.76,
      expectedCostMicros: 180,
    });
  });

  it('states Infinity as the price of a success that is out of reach', () => {
    const hopeless = Array.from({ length: 30 }, (_, index) =>
      node(`node-${index}`, { failureRate: 1 - 2 ** -53, maxRetries: 0 }),
    );
    assert.equal(planRetryBudget(hopeless, policy).costPerSuccessMicros, Number.POSITIVE_INFINITY);
  });

  it('states a chain success of 1 where no node is required', () => {
    assert.equal(planRetryBudget([node('a', { required: false })], policy).chainSuccess, 1);
  });

  it('ends on a budget that no chain could use', () => {
    const plan = planRetryBudget([node('a', { failureRate: 0.9, maxRetries: 1e9 })], {
      ...policy,
      globalRetryBudget: 1e9,
    });
    assert.ok(plan.retriesUsed < 10_000, `used ${plan.retriesUsed}`);
  });

  it('leaves its input as it was', () => {
    const nodes = [node('b'), node('a', { failureRate: 0.5 })];
    const before = structuredClone(nodes);
    planRetryBudget(nodes, policy);
    worstCaseRetryCost(nodes, policy);
    assert.deepEqual(nodes, before);
  });
});

describe('worstCaseRetryCost', () => {
  it('takes the dearest retries first', () => {
    const nodes = [node('a', { attemptCostMicros: 10 }), node('b', { attemptCostMicros: 1_000 })];
    assert.deepEqual(worstCaseRetryCost(nodes, { ...policy, globalRetryBudget: 4 }), {
      maxAttempts: 6,
      maxCostMicros: 4_020,
      amplification: 3.9802,
    });
  });

  it('states an amplification of 0 where attempts are free', () => {
    const free = [node('a', { attemptCostMicros: 0 })];
    assert.deepEqual(worstCaseRetryCost(free, policy), {
      maxAttempts: 4,
      maxCostMicros: 0,
      amplification: 0,
    });
  });
});

describe('retryCap', () => {
  it('is what the node allows where the breaker never opens', () => {
    assert.equal(retryCap(node('a'), { ...policy, consecutiveFailureThreshold: 'Infinity' }), 3);
  });

  it('ends where the breaker would open', () => {
    assert.equal(retryCap(node('a'), { ...policy, consecutiveFailureThreshold: 2 }), 1);
  });
});
