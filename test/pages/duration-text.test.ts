import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { axisStepMs, durationText } from '../../src/pages/duration-text.js';

describe('a duration in words', () => {
  const rows: readonly (readonly [number, string])[] = [
    [0, '0 s'],
    [0.4, '0 ms'],
    [999, '999 ms'],
    [999.9, '1 s'],
    [1_250, '1.25 s'],
    [59_990, '60 s'],
    [59_999, '1 min'],
    [200_400, '3 min 20 s'],
    [3_599_900, '1 h'],
    [7_500_000, '2 h 5 min'],
    [187_200_000, '2 d 4 h'],
    [-1_500, '-1.5 s'],
  ];
  for (const [durationMs, text] of rows) {
    it(`says ${text} for ${durationMs} ms`, () => {
      assert.equal(durationText(durationMs), text);
    });
  }
});

describe('the marks of an axis of time', () => {
  it('are one to seven, whatever the whole is', () => {
    fc.assert(
      fc.property(fc.double({ min: 6, max: 1e12, noNaN: true }), (wholeMs) => {
        const steps = wholeMs / axisStepMs(wholeMs);
        assert.ok(steps <= 6.000001 && steps >= 2, `${steps}`);
      }),
    );
  });

  it('stand at whole minutes and hours where the whole is long', () => {
    assert.equal(durationText(axisStepMs(20 * 60_000)), '5 min');
    assert.equal(durationText(axisStepMs(10 * 3_600_000)), '2 h');
  });
});
