import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { policyDefaults } from 'holdfast/contract';
import {
  initialRunState,
  pauseDeadline,
  resumeDeadline,
  taskTimeLeftMs,
} from '../../src/workflows/run-state.js';

const running = initialRunState({
  policy: policyDefaults,
  nowMs: 1_000,
  planned: [],
  deadlineMs: 10_000,
});

describe('a deadline that stands still', () => {
  it('leaves as much time at its end as at its start', () => {
    const paused = pauseDeadline(running, 3_000);
    assert.equal(taskTimeLeftMs(paused, 3_000), 8_000);
    assert.equal(taskTimeLeftMs(paused, 90_000), 8_000);
    const resumed = resumeDeadline(paused, 90_000);
    assert.equal(taskTimeLeftMs(resumed, 90_000), 8_000);
    assert.equal(taskTimeLeftMs(resumed, 91_000), 7_000);
  });

  it('stands still once, however often it is told to', () => {
    const paused = pauseDeadline(pauseDeadline(running, 3_000), 5_000);
    assert.equal(paused.pausedAt, 3_000);
    const resumed = resumeDeadline(paused, 6_000);
    assert.equal(resumed.deadlineAt, 14_000);
    assert.ok(!('pausedAt' in resumed));
    assert.equal(resumeDeadline(resumed, 7_000), resumed);
  });

  it('stays none where there is none', () => {
    const endless = { ...running, deadlineAt: null };
    assert.equal(taskTimeLeftMs(pauseDeadline(endless, 3_000), 4_000), Number.POSITIVE_INFINITY);
    assert.equal(resumeDeadline(pauseDeadline(endless, 3_000), 4_000).deadlineAt, null);
  });
});
