import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toDecimals, toInteger } from '../../src/budget/rounding.js';

const anyValue = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => Math.abs(value) < 1e21),
  // Numbers at and beside a tie: an odd count of halves of the last place.
  fc
    .tuple(fc.nat(2_000_000), fc.constantFrom(1e4, 1e6, 1e8))
    .map(([n, scale]) => (2 * n + 1) / scale / 2),
  fc.integer({ min: 1, max: 999 }).map((thousandths) => (thousandths / 1000) ** 3),
);

describe('toDecimals', () => {
  it('is what toFixed gives, for any value', () => {
    fc.assert(
      fc.property(
        anyValue,
        fc.constantFrom(4 as const, 6 as const, 8 as const),
        (value, decimals) => {
          assert.equal(toDecimals(value, decimals), Number(value.toFixed(decimals)) + 0);
        },
      ),
      { numRuns: 20_000 },
    );
  });

  it('is never -0', () => {
    assert.ok(Object.is(toDecimals(-0, 8), 0) && Object.is(toDecimals(-1e-12, 8), 0));
  });
});

describe('toInteger', () => {
  it('rounds halves up and is never -0', () => {
    assert.deepEqual([toInteger(2.5), toInteger(-0.2), toInteger(-0)], [3, 0, 0]);
  });
});
