import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeliveredPolicy } from '../../src/contract/delivered-policy.js';
import { policyDefaults, type RunPolicy } from '../../src/contract/policy.js';
import type { RunState } from '../../src/contract/run-state.js';
import { changePolicy } from '../../src/workflows/policy-change.js';
import { initialRunState, withDeadline } from '../../src/workflows/run-state.js';
import { openUndo } from '../../src/workflows/undo-state.js';

const delivered: DeliveredPolicy = { kind: 'update', by: 'Ada', at: 5, policy: {} };
const fresh = (deadlineMs: number | null = 10_000): RunState =>
  initialRunState({ policy: policyDefaults, nowMs: 1_000, planned: [], deadlineMs });

function changed(
  state: RunState,
  after: Partial<RunPolicy>,
  { before = {}, hasDeadline = true }: { before?: Partial<RunPolicy>; hasDeadline?: boolean } = {},
): RunState {
  return changePolicy(state, {
    before: { ...policyDefaults, ...before },
    after: { ...policyDefaults, ...after },
    delivered,
    hasDeadline,
    nowMs: 2_000,
  });
}

describe('a policy that changes', () => {
  it('gives another total, and leaves what was spent and promised', () => {
    const state = { ...fresh(), pool: { total: 3, spent: 2, reserved: 1 } };
    assert.deepEqual(changed(state, { globalRetryBudget: 1 }).pool, {
      total: 1,
      spent: 2,
      reserved: 1,
    });
  });

  it('gives interruptions by as many as it allows more or less, never below none', () => {
    const perRun = (count: number): Partial<RunPolicy> => ({
      interruptions: { perRun: count, perCall: 3 },
    });
    const state = { ...fresh(), interruptionsLeft: 4 };
    assert.equal(changed(state, perRun(20)).interruptionsLeft, 9);
    assert.equal(changed(state, perRun(2)).interruptionsLeft, 0);
  });

  it('moves the deadline by the difference, and not one that is the task’s own', () => {
    assert.equal(changed(fresh(), { deadlineMs: 600_500 }).deadlineAt, 11_500);
    const own = withDeadline(fresh(), 9_000);
    assert.equal(changed(own, { deadlineMs: 1 }).deadlineAt, 9_000);
  });

  it('gives a run without a deadline one, from then on, only where it says so', () => {
    assert.equal(changed(fresh(null), { deadlineMs: 500 }).deadlineAt, 2_500);
    assert.equal(changed(fresh(null), {}, { hasDeadline: false }).deadlineAt, null);
  });

  it('never moves a child’s deadline past its parent’s', () => {
    const slice = { retries: 1, tokens: 0, retryTokens: 0, deadlineAt: 12_000 };
    const state = { ...fresh(), slice };
    assert.equal(changed(state, { deadlineMs: 900_000 }).deadlineAt, 12_000);
    assert.equal(withDeadline(state, 20_000).deadlineAt, 12_000);
  });

  it('changes what undoing may cost, where that has begun', () => {
    const state = openUndo(fresh(), { policy: policyDefaults, nowMs: 1_000, planned: [] });
    const compensation = { globalRetryBudget: 2, deadlineMs: 601_000 };
    const { undo } = changed(state, { compensation });
    assert.deepEqual([undo?.pool.total, undo?.deadlineAt], [2, 602_000]);
  });

  it('says its version and mode, and stands in the state whole', () => {
    const { policyVersion, mode, policy } = changed(fresh(), { version: '2', mode: 'off' });
    assert.deepEqual([policyVersion, mode, policy], ['2', 'off', delivered]);
  });
});
