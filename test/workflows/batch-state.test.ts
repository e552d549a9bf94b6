import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type BatchState,
  carriedState,
  ended,
  initialBatchState,
  isFull,
  resumedState,
  taken,
} from '../../src/workflows/batch-state.js';

/** Lets items end one after the other, of which every so many fails. */
function stateAfter(items: number, everyFails: number): BatchState {
  let state = initialBatchState;
  for (let number = 1; number <= items; number++) {
    state = taken(state, { offset: 3 * number, line: number + 1 });
    const item = { number, workflowId: `b/${number}` };
    const fails = number % everyFails === 0;
    state = ended(
      state,
      item,
      fails ? { kind: 'failed', reason: 'x'.repeat(999) } : { kind: 'ok' },
    );
  }
  return state;
}

describe('the state of a batch', () => {
  it('is the same after it was carried to the next run', () => {
    const state = stateAfter(250, 2);
    const carried: ReturnType<typeof carriedState> = JSON.parse(
      JSON.stringify(carriedState(state)),
    );
    assert.deepEqual(resumedState(carried), state);
  });

  it('keeps the last hundred failures, with a short reason, and the numbers of all', () => {
    const { failures, unanswered, counts } = stateAfter(300, 2);
    assert.equal(failures.length, 100);
    assert.equal(failures[0]?.number, 102);
    assert.equal(failures[0]?.reason.length, 200);
    assert.equal(unanswered.length, 150);
    assert.deepEqual([counts.started, counts.ok, counts.failed], [300, 150, 150]);
  });

  it('is full before it grows too large to be carried', () => {
    const scattered = Array.from({ length: 100_000 }, (_, index) => {
      const first = 10_000_000 + 2 * index;
      return { first, last: first };
    });
    const state = { ...initialBatchState, unanswered: scattered };
    assert.equal(isFull(state), true);
    assert.equal(isFull({ ...state, unanswered: scattered.slice(1) }), false);
    assert.ok(JSON.stringify(carriedState(state)).length < 1_000_000);
  });
});
