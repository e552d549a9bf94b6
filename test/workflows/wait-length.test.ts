import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noSums, type WaitDetail } from '../../src/contract/call-header.js';
import { lengthened } from '../../src/workflows/wait-length.js';

const wait: WaitDetail = { $holdfast: 1, sums: noSums, waitMs: 1_000, what: 'bulkhead' };

describe('the length of a wait', () => {
  const rows: readonly (readonly [number, number])[] = [
    [0, 1_000],
    [1, 2_000],
    [4, 16_000],
    [99, 16_000],
  ];
  for (const [waitsBefore, expectedMs] of rows) {
    it(`is ${expectedMs} ms at a bulkhead after ${waitsBefore} waits`, () => {
      assert.equal(lengthened(wait, waitsBefore).waitMs, expectedMs);
    });
  }

  it('is what the limiter says, however often the call has waited', () => {
    const limiter: WaitDetail = { ...wait, what: 'limiter', ticket: 'place 1' };
    assert.equal(lengthened(limiter, 50), limiter);
  });
});
