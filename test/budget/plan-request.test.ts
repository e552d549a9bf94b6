import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  InvalidRequestError,
  type PlanNode,
  type PlanPolicy,
  planRetryBudget,
  retryCap,
  worstCaseRetryCost,
} from '../../src/budget/index.js';

const policy: PlanPolicy = {
  globalRetryBudget: 3,
  consecutiveFailureThreshold: 3,
  halfOpenAfterCalls: 3,
};
const node: PlanNode = {
  id: 'a',
  failureRate: 0.1,
  attemptCostMicros: 100,
  latencyMs: 10,
  maxRetries: 3,
  required: true,
};

// Rows hold what a JSON file or an untyped caller may hand in.
type Loose = Readonly<Record<string, unknown>>;

function faultOf(nodes: unknown, given: unknown): InvalidRequestError {
  try {
    // The point of these tests is a request that its types forbid.
    planRetryBudget(nodes as readonly PlanNode[], given as PlanPolicy);
  } catch (error) {
    if (error instanceof InvalidRequestError) return error;
    throw error;
  }
  throw new Error('the request was accepted');
}

describe('an invalid node', () => {
  const rows: readonly { readonly field: string; readonly values: readonly unknown[] }[] = [
    { field: 'id', values: ['', '  \t', undefined, null, 7] },
    { field: 'failureRate', values: [1, 1.1, -0.1, Number.NaN, Number.POSITIVE_INFINITY, '0.1'] },
    { field: 'attemptCostMicros', values: [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 5n] },
    { field: 'latencyMs', values: [-1, Number.NaN, Number.POSITIVE_INFINITY, '10', undefined] },
    { field: 'maxRetries', values: [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, undefined] },
    { field: 'required', values: [undefined, 1, 'yes'] },
    { field: 'retryFailureRates', values: [[], [0.1, 0.2], 'none', null] },
  ];
  for (const { field, values } of rows) {
    for (const value of values) {
      it(`is refused by the path of its ${field} (${typeof value} ${JSON.stringify(String(value))})`, () => {
        const error = faultOf([node, { ...node, id: 'b', [field]: value }], policy);
        assert.deepEqual(
          [error.field, error.value, error.faults.length],
          [`nodes[1].${field}`, value, 1],
        );
      });
    }
  }

  it('is refused where a retry is said to fail less often than the one before', () => {
    const error = faultOf([{ ...node, retryFailureRates: [0.5, 0.9, 0.8] }], policy);
    assert.equal(error.field, 'nodes[0].retryFailureRates[2]');
  });

  it('is refused where the rate of a retry is 1', () => {
    const error = faultOf([{ ...node, retryFailureRates: [0.5, 0.9, 1] }], policy);
    assert.equal(error.field, 'nodes[0].retryFailureRates[2]');
  });

  it('is refused where its id stands twice', () => {
    const error = faultOf([node, { ...node, id: 'b' }, node], policy);
    assert.deepEqual(
      [error.field, error.rule, error.value],
      ['nodes[2].id', 'must be unique', 'a'],
    );
  });

  for (const value of [undefined, null, 'a', 3, []]) {
    it(`is refused where it is no object (${JSON.stringify(value)})`, () => {
      assert.equal(faultOf([node, value], policy).field, 'nodes[1]');
    });
  }

  it('is found in a hole of the list', () => {
    const holes = [node];
    holes.length = 2;
    assert.equal(faultOf(holes, policy).field, 'nodes[1]');
  });
});

describe('an invalid list of nodes', () => {
  for (const value of [[], undefined, null, {}, 'nodes']) {
    it(`is refused (${JSON.stringify(value)})`, () => {
      assert.equal(faultOf(value, policy).field, 'nodes');
    });
  }
});

describe('an invalid policy', () => {
  const rows: readonly { readonly field: string; readonly values: readonly unknown[] }[] = [
    { field: 'globalRetryBudget', values: [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '3'] },
    {
      field: 'consecutiveFailureThreshold',
      values: [0, -1, 0.5, Number.NaN, Number.NEGATIVE_INFINITY, 'infinity', undefined],
    },
    { field: 'halfOpenAfterCalls', values: [0, 1.5, Number.NaN, Number.POSITIVE_INFINITY] },
    { field: 'objective', values: ['cheapest', null, 1] },
  ];
  for (const { field, values } of rows) {
    for (const value of values) {
      it(`is refused by the name ${field} (${typeof value} ${String(value)})`, () => {
        const error = faultOf([node], { ...policy, [field]: value });
        assert.deepEqual([error.field, error.value], [field, value]);
      });
    }
  }

  it('is refused where it is no object', () => {
    assert.equal(faultOf([node], undefined).field, 'policy');
  });
});

describe('the error of an invalid request', () => {
  const bad: Loose = { ...policy, globalRetryBudget: -1, consecutiveFailureThreshold: 0.5 };

  it('lists every fault, the nodes first', () => {
    const error = faultOf([{ ...node, failureRate: 2, maxRetries: -1 }], bad);
    assert.deepEqual(
      error.faults.map(({ field }) => field),
      [
        'nodes[0].failureRate',
        'nodes[0].maxRetries',
        'globalRetryBudget',
        'consecutiveFailureThreshold',
      ],
    );
  });

  it('repeats the first fault on top', () => {
    const { field, rule, value, faults } = faultOf([{ ...node, failureRate: 2 }], bad);
    assert.deepEqual({ field, rule, value }, faults[0]);
  });

  it('says rule and value in words', () => {
    const error = faultOf([node], { ...policy, consecutiveFailureThreshold: 0.5 });
    assert.equal(
      String(error),
      'InvalidRequestError: consecutiveFailureThreshold must be a positive integer, got 0.5',
    );
  });

  it('has the kind and code invalid-request', () => {
    const { kind, code } = faultOf([], policy);
    assert.deepEqual([kind, code], ['invalid-request', 'invalid-request']);
  });

  it('comes from the worst case too', () => {
    assert.throws(() => worstCaseRetryCost([], policy), { code: 'invalid-request' });
  });

  it('comes from the cap too', () => {
    assert.throws(() => retryCap({ ...node, maxRetries: -1 }, policy), {
      field: 'node.maxRetries',
    });
    assert.throws(() => retryCap(node, { ...policy, consecutiveFailureThreshold: 0 }), {
      field: 'consecutiveFailureThreshold',
    });
  });
});
