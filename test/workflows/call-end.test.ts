import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noSums } from '../../src/contract/call-header.js';
import { notStartedEnd, unsharedCall } from '../../src/workflows/call-end.js';
import { askCancellations, book, post } from './fixture/undo-tools.js';

describe('a call that no worker started in time', () => {
  const rows = [
    [post, false, 'failed'],
    [post, true, 'unknown'],
    [book, true, 'unknown'],
    [askCancellations, true, 'failed'],
  ] as const;
  for (const [tool, ambiguous, kind] of rows) {
    const before = ambiguous ? 'after an attempt that was lost' : 'at all';
    it(`is ${kind} where it is a ${tool.effect} ${before}`, () => {
      const call = unsharedCall({ call: 1, step: undefined, tool });
      const end = notStartedEnd(call, { sums: { ...noSums, ambiguous }, message: 'late' });
      assert.equal(end.kind, kind);
      assert.equal(end.report.effectMayHaveHappened, kind === 'unknown');
    });
  }
});
