import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { freeRetries } from '../../src/budget/retry-pool.js';
import { policyDefaults } from '../../src/contract/policy.js';
import type { RunState } from '../../src/contract/run-state.js';
import { nothingSpent, type Slice } from '../../src/contract/spent.js';
import { initialRunState } from '../../src/workflows/run-state.js';
import {
  type bookSpent,
  chargeRunning,
  giveSlice,
  promisedTokens,
  takeBack,
  wholeOf,
  withSlice,
} from '../../src/workflows/slices.js';

const fresh = (globalRetryBudget = 10): RunState =>
  initialRunState({
    policy: { ...policyDefaults, globalRetryBudget },
    nowMs: 0,
    planned: [],
    deadlineMs: null,
  });
const sliceOf = (retries: number, retryTokens = 0): Slice => ({
  retries,
  tokens: 10 * retryTokens,
  retryTokens,
  deadlineAt: null,
});
const given = (state: RunState, workflowId: string, slice: Slice): RunState =>
  giveSlice(state, { workflowId, workflow: 'child', slice });
const spentOf = (retries: number, wasted = 0, cost = 0): Parameters<typeof bookSpent>[1] => ({
  retries,
  tokens: { useful: 0, wasted },
  ...(cost === 0 ? {} : { cost: { usefulMicros: cost, wastedMicros: 0, unpricedAttempts: 0 } }),
});

describe('slices of a pool', () => {
  it('never make more of it than there is, in whatever order children come and end', () => {
    const moves = fc.array(
      fc.record({
        child: fc.integer({ min: 0, max: 4 }),
        wanted: fc.integer({ min: 0, max: 6 }),
        used: fc.integer({ min: 0, max: 20 }),
        gives: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(moves, (list) => {
        let state = fresh();
        for (const { child, wanted, used, gives } of list) {
          const free = freeRetries(state.pool);
          state = gives
            ? given(state, String(child), sliceOf(Math.min(wanted, free)))
            : takeBack(state, { workflowId: String(child), end: 'ok', spent: spentOf(used) });
          const { total, spent, reserved } = state.pool;
          assert.ok(spent + reserved <= total && reserved >= 0, JSON.stringify(state.pool));
        }
        const { pool } = chargeRunning(state);
        assert.equal(pool.reserved, 0);
        assert.ok(pool.spent <= pool.total);
      }),
    );
  });

  it('promise tokens while children run, and charge what these wasted when they end', () => {
    const running = given(given(fresh(), 'a', sliceOf(0, 300)), 'b', sliceOf(0, 200));
    assert.equal(promisedTokens(running), 500);
    const ended = takeBack(running, { workflowId: 'a', end: 'failed', spent: spentOf(0, 40) });
    assert.equal(promisedTokens(ended), 200);
    assert.deepEqual(ended.tokens, { useful: 0, wasted: 40 });
  });

  it('add what children paid to what the run did', () => {
    const state = given(given(fresh(), 'a', sliceOf(1)), 'b', sliceOf(1));
    const one = takeBack(state, { workflowId: 'a', end: 'ok', spent: spentOf(0, 0, 70) });
    const both = takeBack(one, { workflowId: 'b', end: 'ok', spent: spentOf(1, 0, 5) });
    assert.deepEqual(both.cost, { usefulMicros: 75, wastedMicros: 0, unpricedAttempts: 0 });
  });

  it('are settled once: a word about a child that has ended changes nothing', () => {
    const ended = takeBack(given(fresh(), 'a', sliceOf(3)), {
      workflowId: 'a',
      end: 'ok',
      spent: spentOf(1),
    });
    const again = takeBack(ended, { workflowId: 'a', end: 'failed', spent: spentOf(3) });
    assert.deepEqual(again, ended);
  });

  it('are remembered for the last 50 children that ended, and for all that run', () => {
    let state = fresh(0);
    for (let child = 0; child < 120; child += 1) state = given(state, `${child}`, sliceOf(0));
    for (let child = 0; child < 90; child += 1) {
      state = takeBack(state, { workflowId: `${child}`, end: 'ok', spent: nothingSpent });
    }
    const lines = state.childLines ?? [];
    assert.equal(lines.filter(({ end }) => end === 'running').length, 30);
    assert.equal(lines.filter(({ end }) => end === 'ok').length, 50);
    assert.equal(lines.at(0)?.workflowId, '40');
  });
});

describe('a slice', () => {
  it('stands before the policy’s own figures', () => {
    const { globalRetryBudget, tokens } = withSlice(policyDefaults, sliceOf(1, 50));
    assert.deepEqual([globalRetryBudget, tokens], [1, { target: 500, retryPercent: 10 }]);
    const nothing = withSlice(policyDefaults, sliceOf(0)).tokens;
    assert.deepEqual(nothing, { target: 0, retryPercent: 0 });
  });

  it('is charged whole where nobody says what was used', () => {
    assert.deepEqual(wholeOf(sliceOf(2, 30)), spentOf(2, 30));
  });
});
