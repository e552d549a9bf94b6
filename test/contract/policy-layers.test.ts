import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  callPolicy,
  definePolicy,
  downstreamPolicy,
  type PolicyInput,
  policyDefaults,
  runPolicy,
} from 'holdfast/contract';

const layered = definePolicy({
  maxAttempts: 2,
  backoff: { baseMs: 20 },
  downstreams: { orders: { maxAttempts: 3, backoff: { capMs: 30 }, breaker: { probeAfterMs: 5 } } },
  tools: { refund: { maxAttempts: 4, backoff: { jitter: 'none' } } },
  tenants: { acme: { maxAttempts: 5, globalRetryBudget: 0 } },
});

const places: readonly (readonly [string, Parameters<typeof callPolicy>[1], number])[] = [
  ['the policy wins over the defaults', {}, 2],
  ['the downstream wins over the policy', { downstream: 'orders' }, 3],
  ['the tool wins over its downstream', { downstream: 'orders', tool: 'refund' }, 4],
  ['the tenant wins over all', { downstream: 'orders', tool: 'refund', tenant: 'acme' }, 5],
  ['an unknown place changes nothing', { downstream: 'x', tool: 'x', tenant: 'x' }, 2],
  ['a name of every object’s is no place', { tool: 'constructor', tenant: '__proto__' }, 2],
];

describe('the layers of a policy', () => {
  for (const [name, place, maxAttempts] of places) {
    it(name, () => assert.equal(callPolicy(layered, place).maxAttempts, maxAttempts));
  }

  it('are laid over one another field by field', () => {
    const { backoff } = callPolicy(layered, { downstream: 'orders', tool: 'refund' });
    assert.deepEqual(backoff, { baseMs: 20, capMs: 30, jitter: 'none' });
  });

  it('say the same of a downstream whichever tool asks', () => {
    const { breaker, maxAttempts } = downstreamPolicy(layered, { downstream: 'orders' });
    assert.deepEqual(breaker, { ...policyDefaults.breaker, probeAfterMs: 5 });
    assert.equal(maxAttempts, 3);
  });

  it('give a tenant its own budget', () => {
    assert.equal(runPolicy(layered, 'acme').globalRetryBudget, 0);
    assert.equal(runPolicy(layered, 'other').globalRetryBudget, 3);
  });

  it('leave the defaults where nothing is said', () => {
    assert.deepEqual(runPolicy({}), policyDefaults);
  });

  it('take an undefined field as absent', () => {
    // A program without exact optional types can say so.
    const policy = {
      globalRetryBudget: undefined,
      backoff: { baseMs: undefined, capMs: 9 },
    } as unknown as PolicyInput;
    const { globalRetryBudget, backoff } = runPolicy(policy) as typeof policyDefaults; // it is wider than it says
    assert.equal(globalRetryBudget, 3);
    assert.deepEqual(backoff, { baseMs: 200, capMs: 9, jitter: 'full' });
  });
});

describe('the default policy', () => {
  it('has the figures of the specification', () => {
    assert.deepEqual(policyDefaults, {
      version: '1',
      mode: 'on',
      globalRetryBudget: 3,
      objective: 'absolute-gain',
      maxAttempts: 3,
      deadlineMs: 600_000,
      backoff: { baseMs: 200, capMs: 3_000, jitter: 'full' },
      hintCapMs: 60_000,
      onUnknown: 'return',
      deciders: 'anyone',
      breaker: { consecutiveFailureThreshold: 3, halfOpenAfterCalls: 3, probeAfterMs: 30_000 },
      workerBreaker: {
        consecutiveFailureThreshold: 5,
        failurePercent: 20,
        minSamples: 50,
        windowMs: 10_000,
        halfOpenAfterCalls: 3,
        openForMs: 30_000,
      },
      ratio: { percent: 10, windowMs: 10_000, minSamples: 100 },
      limits: {},
      tokens: { target: 10_000, retryPercent: 10 },
      interruptions: { perRun: 15, perCall: 3 },
      compensation: { globalRetryBudget: 10, deadlineMs: 600_000 },
      maxPayloadBytes: 1_900_000,
    });
  });
});
