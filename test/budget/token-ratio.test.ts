import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { initialTokenRatio, learnTokenRatio } from '../../src/budget/token-ratio.js';

describe('the ratio of real tokens to estimated ones', () => {
  it('comes to what a model keeps showing', () => {
    let ratio = initialTokenRatio;
    for (let answer = 0; answer < 40; answer += 1) {
      ratio = learnTokenRatio(ratio, { estimated: 100, used: 150 });
    }
    assert.ok(Math.abs(ratio - 1.5) < 0.001, String(ratio));
  });

  it('moves by a fifth of the way at each answer', () => {
    assert.equal(learnTokenRatio(1, { estimated: 100, used: 200 }), 1.2);
  });

  it('stays as it is after an answer without figures', () => {
    for (const sample of [
      { estimated: 0, used: 10 },
      { estimated: 10, used: 0 },
      { estimated: Number.NaN, used: 10 },
      { estimated: 10, used: Number.POSITIVE_INFINITY },
    ]) {
      assert.equal(learnTokenRatio(1.5, sample), 1.5);
    }
  });

  it('never leaves its bounds, whatever is answered', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.double(), fc.double())), (answers) => {
        const ratio = answers.reduce(
          (known, [estimated, used]) => learnTokenRatio(known, { estimated, used }),
          initialTokenRatio,
        );
        assert.ok(ratio >= 0.25 && ratio <= 4, String(ratio));
      }),
    );
  });
});
