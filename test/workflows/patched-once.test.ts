import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { patchedOnce } from '../../src/workflows/patched-once.js';
import { runContext } from '../../src/workflows/run-context.js';

/** Stands for the SDK's activator: a patch without a marker is absent in replay, and present after it. */
function pretendReplay(isReplaying: () => boolean): void {
  Object.assign(globalThis, {
    __TEMPORAL_ACTIVATOR__: { patchInternal: () => !isReplaying() },
  });
}

describe('a change that a run began without', () => {
  it('stays away from it once its replay has come to the present', () => {
    let isReplaying = true;
    pretendReplay(() => isReplaying);
    const run = runContext();
    assert.equal(patchedOnce(run, 'before'), false);
    isReplaying = false;
    assert.equal(patchedOnce(run, 'before'), false);
    assert.equal(patchedOnce(run, 'later'), true);
  });
});
