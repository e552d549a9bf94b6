import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { definePolicy, policyDefaults, policyFaults, policySchema } from 'holdfast/contract';
import { faultsOf, linesOf } from './faults.js';

const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;
const notCounts = [-1, 0.5, nan, infinity, '3', null];
const notPositive = [...notCounts, 0];
const notDurations = [-1, 0, 0.5, nan, infinity, '1 s', null];
const notRates = [-0.1, 1, 1.5, nan, '0.1', null];

/** Every field of a policy with values that it refuses and some that it takes. */
const fields: readonly (readonly [string, readonly unknown[], readonly unknown[]])[] = [
  ['globalRetryBudget', notCounts, [0, 3]],
  ['maxAttempts', notPositive, [1, 3]],
  ['deadlineMs', notDurations, [1, 1.5, 600_000]],
  ['hintCapMs', notDurations, [1, 60_000]],
  ['mode', ['ON', '', true, null], ['on', 'observe', 'off']],
  ['objective', ['best', null], ['absolute-gain', 'chain-success']],
  ['version', ['', ' ', 2, null], ['2']],
  ['backoff.baseMs', notDurations, [200]],
  ['backoff.capMs', notDurations, [3_000]],
  ['backoff.jitter', ['half', true, null], ['full', 'decorrelated', 'none']],
  [
    'breaker.consecutiveFailureThreshold',
    [0, 0.5, -1, nan, -infinity, 'infinity', '3', null],
    [1, 3, infinity, 'Infinity'],
  ],
  ['breaker.halfOpenAfterCalls', notPositive, [1]],
  ['breaker.probeAfterMs', notDurations, [30_000]],
  ['ratio.percent', [-1, 100.5, nan, '10', null], [0, 10.5, 100]],
  ['ratio.windowMs', notDurations, [10_000]],
  ['ratio.minSamples', notCounts, [0, 100]],
  ['limits.requestsPerMinute', notPositive, [60]],
  ['limits.tokensPerMinute', notPositive, [90_000]],
  ['limits.maxConcurrent', notPositive, [8]],
  ['limits.pace', ['yes', 1, null], [true, false]],
  ['tokens.target', notPositive, [10_000]],
  ['tokens.retryPercent', [-1, 101, nan, null], [0, 10]],
  ['interruptions.perRun', notCounts, [0, 15]],
  ['interruptions.perCall', notCounts, [0, 3]],
  ['downstreams.orders.maxAttempts', notPositive, [2]],
  ['downstreams.orders.breaker.consecutiveFailureThreshold', [0, 0.5, '2'], [2, 'Infinity']],
  ['downstreams.orders.backoff.baseMs', notDurations, [5]],
  ['tools.refund.maxAttempts', notPositive, [2]],
  ['tools.refund.downstream', ['', 7, null], ['orders']],
  ['tools.refund.effect', ['delete', null], ['read', 'idempotent-write', 'write']],
  ['tools.refund.estimate.failureRate', notRates, [0, 0.999]],
  ['tools.refund.estimate.attemptCostMicros', notCounts, [0, 9]],
  ['tools.refund.estimate.latencyMs', [-1, nan, infinity, null], [0, 0.5]],
  ['tools.refund.expectedCalls', notCounts, [0, 4]],
  ['tools.refund.required', ['no', 0, null], [false]],
  ['tenants.acme.globalRetryBudget', notCounts, [0]],
  ['tenants.acme.mode', ['x', null], ['off']],
];

function at(path: string, value: unknown): Readonly<Record<string, unknown>> {
  const [last, ...above] = path.split('.').reverse();
  return above.reduce<Record<string, unknown>>((inner, name) => ({ [name]: inner }), {
    [String(last)]: value,
  });
}

describe('a field of a policy', () => {
  for (const [path, wrong, right] of fields) {
    it(`is refused out of its range, with its path and value: ${path}`, () => {
      for (const value of wrong) {
        const [fault, ...others] = policyFaults(at(path, value));
        assert.equal(fault?.field, `policy.${path}`, `${path}: ${String(value)}`);
        assert.match(String(fault?.rule), /^must be /);
        assert.ok(Object.is(fault?.value, value));
        assert.deepEqual(others, []);
      }
    });

    it(`is taken within its range, and where it is undefined: ${path}`, () => {
      for (const value of [...right, undefined])
        assert.deepEqual(policyFaults(at(path, value)), []);
    });
  }

  const typos = [
    'globalRetrybudget',
    'backoff.base',
    'breaker.threshold',
    'downstreams.orders.mode',
    'tools.refund.breaker',
    'tools.refund.failureRate',
    'tenants.acme.tenants',
    '__proto__.mode',
    'constructor',
  ];
  for (const path of typos) {
    it(`is refused where there is no such field: ${path}`, () => {
      const policy: unknown = at(path, 3);
      const [fault, ...others] = policyFaults(policy);
      const place = path === '__proto__.mode' ? '__proto__' : path;
      assert.equal(fault?.field, `policy.${place}`);
      assert.match(String(fault?.rule), /^must be one of /);
      assert.deepEqual(others, []);
    });
  }

  it('is refused where a group is no object', () => {
    const groups = ['backoff', 'breaker', 'downstreams', 'tools.refund', 'tenants'];
    for (const path of groups) {
      for (const value of [null, 3, 'x', []]) {
        const [fault] = policyFaults(at(path, value));
        assert.equal(fault?.rule, 'must be an object', `${path}: ${JSON.stringify(value)}`);
      }
    }
  });
});

describe('a policy', () => {
  it('is right where it says nothing, and where it says the defaults', () => {
    assert.deepEqual(policyFaults({}), []);
    assert.deepEqual(policyFaults(policyDefaults), []);
  });

  it('is refused where it is no object', () => {
    for (const policy of [null, undefined, 3, 'on', [], new Map()]) {
      assert.deepEqual(linesOf(policyFaults(policy)), ['policy must be an object']);
    }
  });

  it('is refused with all of its faults at once', () => {
    const policy = {
      globalRetryBudget: -1,
      breaker: { consecutiveFailureThreshold: 0 },
      tools: { refund: { estimate: { failureRate: 1.5 } } },
    };
    // Stands for a program without types.
    const faults = faultsOf(() => definePolicy(policy as object));
    assert.deepEqual(linesOf(faults), [
      'policy.globalRetryBudget must be a non-negative integer',
      'policy.breaker.consecutiveFailureThreshold must be a positive integer',
      'policy.tools.refund.estimate.failureRate must be a number of at least 0 and below 1',
    ]);
  });

  it('is returned as it is where nothing is wrong', () => {
    const policy = { globalRetryBudget: 5 };
    assert.equal(definePolicy(policy), policy);
  });
});

const anyValue = fc.oneof(
  ...[0, 0.5, 1, 3, -1, 1.5, nan, infinity, 'Infinity', '', 'on', 'full', true, null].map((value) =>
    fc.constant<unknown>(value),
  ),
  fc.double(),
  fc.constant(undefined),
);
const anyField = fc.tuple(
  fc.constantFrom(...fields.map(([path]) => path), 'typo', 'backoff.typo', 'tools.x.typo'),
  anyValue,
);

describe('the policy schema', () => {
  it('finds what the check finds: the same places, the same words', () => {
    fc.assert(
      fc.property(fc.array(anyField, { maxLength: 4 }), (chosen) => {
        const policy = Object.assign({}, ...chosen.map(([path, value]) => at(path, value)));
        const faults = policyFaults(policy);
        const parsed = policySchema.safeParse(policy);
        assert.equal(parsed.success, faults.length === 0);
        const issues = parsed.error?.issues.map(
          ({ path, message }) => `${['policy', ...path].join('.')} ${message}`,
        );
        assert.deepEqual(issues ?? [], linesOf(faults));
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives back the policy that it took', () => {
    const policy = { mode: 'observe', tenants: { acme: { globalRetryBudget: 0 } } };
    assert.deepEqual(policySchema.parse(policy), policy);
  });
});
