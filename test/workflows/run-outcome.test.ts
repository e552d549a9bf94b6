import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ActivityFailure, ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { policyDefaults, type RunState } from 'holdfast/contract';
import { memoText } from '../../src/workflows/memo-text.js';
import { indexValues } from '../../src/workflows/run-index.js';
import { outcomeOfError, outcomeOfValue } from '../../src/workflows/run-outcome.js';
import { initialRunState } from '../../src/workflows/run-state.js';

const fresh = initialRunState({ policy: policyDefaults, nowMs: 0, planned: [], deadlineMs: null });
const degraded: RunState = { ...fresh, counts: { ...fresh.counts, degraded: 1 } };
const tokens = { useful: 0, wasted: 0 };
const line = (tool: string, kind: 'ok' | 'rejected' | 'exhausted' | 'denied', step?: string) => ({
  call: 1,
  tool,
  kind,
  attempts: 0,
  attemptsKnown: true,
  retries: 0,
  share: 0,
  interruptions: 0,
  tokens,
  ...(step === undefined ? {} : { step }),
});
const failing: RunState = {
  ...fresh,
  lines: [
    line('charge', 'exhausted', 'a'),
    line('charge', 'denied', 'b'),
    line('find', 'rejected'),
    line('find', 'ok'),
  ],
};
const open = { kind: 'open', generation: 1, rejected: 0, openedAt: 0 } as const;

describe('how a run is said to have ended', () => {
  const values = [
    ['ok', 'a text', fresh],
    ['ok', undefined, undefined],
    ['ok', { kind: 'ok', degraded: false }, fresh],
    ['degraded', { kind: 'ok', degraded: true }, fresh],
    ['degraded', { kind: 'ok' }, degraded],
    ['degraded', 'a text', degraded],
    ['partial', { kind: 'partial', degraded: true }, degraded],
    ['limited', { kind: 'limited', text: '' }, fresh],
    ['cancelled', { kind: 'cancelled' }, undefined],
    ['ok', { kind: 'toString' }, fresh],
  ] as const;
  for (const [outcome, value, state] of values) {
    it(`${outcome}, where it returned ${JSON.stringify(value)}`, () => {
      assert.equal(outcomeOfValue(value, state), outcome);
    });
  }

  const failed = (type: string, ...details: unknown[]) =>
    ApplicationFailure.create({ type, message: 'no', details });
  const activity = new ActivityFailure('no', 'find', '1', 'MAXIMUM_ATTEMPTS_REACHED', '');
  const errors = [
    ['cancelled', 'a cancellation', new CancelledFailure('stop')],
    [
      'denied',
      'a task of which step b was denied',
      failed('holdfast.task-failed', { failedStep: 'b' }),
    ],
    ['exhausted', 'a call that was needed', failed('holdfast.exhausted')],
    ['rejected', 'the plain activity that was rejected, and answered before it threw', activity],
    ['failed', 'a failure of the user’s own', failed('out-of-stock')],
    ['failed', 'a type that only looks like ours', failed('holdfast.ok')],
    ['failed', 'a task whose details are gone', failed('holdfast.task-failed')],
    ['failed', 'anything else', new TypeError('oops')],
  ] as const;
  for (const [outcome, what, error] of errors) {
    it(`${outcome}, where it threw ${what}`, () => {
      assert.equal(outcomeOfError(error, failing), outcome);
    });
  }
});

describe('what is shown of a run', () => {
  it('fits the server however many breakers are open', () => {
    const many = Array.from({ length: 500 }, (_, index) => [`${index}`.padEnd(400, '退'), open]);
    const state: RunState = { ...degraded, breakers: Object.fromEntries(many) };
    const { HoldfastBreakerOpen } = indexValues(state, 'running');
    assert.ok(Buffer.byteLength(JSON.stringify(HoldfastBreakerOpen)) < 2_048);
    assert.ok(memoText(state, 'running').length < 1_000);
    assert.match(memoText(state, 'running'), /and 495 more\.$/);
  });

  it('counts retries of undoing, too', () => {
    const { deadlineAt, pool, planned, interruptionsLeft, counts } = fresh;
    const undo = {
      deadlineAt,
      pool,
      planned,
      interruptionsLeft,
      counts,
      attempts: 3,
      retries: 2,
      tokens,
    };
    assert.equal(indexValues({ ...fresh, retries: 1, undo }, 'failed').HoldfastRetries, 3);
  });

  it('names what stood in, and what was done without', () => {
    const aiFallback = { search: { keywords: 2 }, compose: { disabled: 1 } };
    assert.equal(
      memoText({ ...degraded, aiFallback }, 'degraded'),
      'Ended: degraded. 1 call: 1 degraded. Stood in: keywords for search, nothing for compose.',
    );
    assert.equal(memoText(undefined, 'partial'), 'Ended: partial.');
  });
});
