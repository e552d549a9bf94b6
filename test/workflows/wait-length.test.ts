import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noSums, type WaitDetail } from '../../src/contract/call-header.js';
import { lengthened, placeAfter } from '../../src/workflows/wait-length.js';

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

describe('the place in a limiter’s queue', () => {
  it('is the one that the limiter gave last', () => {
    const limiter: WaitDetail = { ...wait, what: 'limiter', ticket: 'place 2' };
    assert.equal(placeAfter(limiter, 'place 1'), 'place 2');
  });

  it('is kept by a call that waits for something else meanwhile', () => {
    assert.equal(placeAfter(wait, 'place 1'), 'place 1');
    assert.equal(placeAfter(wait, null), null);
  });
});
