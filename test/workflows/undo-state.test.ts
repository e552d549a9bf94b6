import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { reserve } from '../../src/budget/retry-pool.js';
import { policyDefaults } from '../../src/contract/policy.js';
import type { CallLine, RunState } from '../../src/contract/run-state.js';
import { runContext } from '../../src/workflows/run-context.js';
import { bookCall, initialRunState } from '../../src/workflows/run-state.js';
import {
  changedByUndo,
  openUndo,
  seenByUndo,
  undoContext,
} from '../../src/workflows/undo-state.js';

const line = (call: number, retries: number): CallLine => ({
  call,
  tool: 'unbook',
  kind: 'ok',
  attempts: 1 + retries,
  attemptsKnown: true,
  retries,
  share: retries,
  interruptions: 0,
  tokens: { useful: 3, wasted: 2 },
});

/** What the gate does to a state in the course of a call. */
const steps = fc.array(
  fc.record({
    share: fc.integer({ min: 0, max: 3 }),
    retries: fc.integer({ min: 0, max: 3 }),
    interrupted: fc.boolean(),
    paused: fc.boolean(),
    laterMs: fc.integer({ min: 0, max: 1_000 }),
  }),
);

function called(
  state: RunState,
  step: (typeof steps extends fc.Arbitrary<infer S> ? S : never)[number],
): RunState {
  const { share, retries, interrupted, paused, laterMs } = step;
  const promised = { ...state, calls: state.calls + 1, pool: reserve(state.pool, share) };
  const interruptionsLeft = promised.interruptionsLeft - (interrupted ? 1 : 0);
  const booked = bookCall(
    { ...promised, interruptionsLeft },
    { line: line(promised.calls, retries), share },
  );
  const deadlineAt = booked.deadlineAt === null ? null : booked.deadlineAt + laterMs;
  return { ...booked, deadlineAt, ...(paused ? { pausedAt: laterMs } : {}) };
}

const fresh = (): RunState => ({
  ...initialRunState({
    policy: policyDefaults,
    nowMs: 1_000,
    planned: [{ id: 'a', tool: 'x', required: true }],
    deadlineMs: 5_000,
  }),
  pausedAt: 1_500,
});

describe('undoing', () => {
  it('changes no figure of the run, whatever its calls do', () => {
    fc.assert(
      fc.property(steps, (made) => {
        const run = openUndo(fresh(), { policy: policyDefaults, nowMs: 9_000, planned: [] });
        let state = run;
        for (const step of made) state = changedByUndo(state, called(seenByUndo(state), step));
        const { undo: _before, calls: _numbers, lines: _own, ...figures } = run;
        const { undo, calls, lines, ...left } = state;
        assert.deepEqual(left, figures);
        assert.equal(calls, made.length);
        assert.equal(lines.length, Math.min(100, made.length));
        assert.equal(undo?.counts.ok, made.length);
        assert.equal(
          undo?.retries,
          made.reduce((sum, { retries }) => sum + retries, 0),
        );
      }),
    );
  });

  it('has retries, interruptions and a deadline of its own from the start', () => {
    const { undo } = openUndo(fresh(), { policy: policyDefaults, nowMs: 9_000, planned: [] });
    assert.deepEqual(undo?.pool, { total: 10, spent: 0, reserved: 0 });
    assert.equal(undo?.deadlineAt, 609_000);
    assert.equal(undo?.interruptionsLeft, 15);
  });

  it('has its time anew when something is undone later, and its retries no more than once', () => {
    const first = openUndo(fresh(), { policy: policyDefaults, nowMs: 9_000, planned: [] });
    const step = { share: 2, retries: 2, interrupted: true, paused: false, laterMs: 0 };
    const spent = changedByUndo(first, called(seenByUndo(first), step));
    const { undo } = openUndo(spent, { policy: policyDefaults, nowMs: 20_000, planned: [] });
    assert.deepEqual(undo?.pool, { total: 10, spent: 2, reserved: 0 });
    assert.equal(undo?.deadlineAt, 620_000);
    assert.equal(undo?.interruptionsLeft, 14);
  });
});

describe('waits for people, of the run and of undoing', () => {
  it('are counted apart, so that each lets its own deadline run on', () => {
    const run = runContext();
    run.state = openUndo(
      initialRunState({ policy: policyDefaults, nowMs: 0, planned: [], deadlineMs: 1 }),
      {
        policy: policyDefaults,
        nowMs: 0,
        planned: [],
      },
    );
    const undo = undoContext(run);
    run.stopsClock += 1;
    undo.stopsClock += 1;
    run.stopsClock -= 1;
    assert.deepEqual([run.stopsClock, undo.stopsClock, undoContext(run).stopsClock], [0, 1, 1]);
  });
});
