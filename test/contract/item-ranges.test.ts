import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  namesNumber,
  parseRanges,
  type Range,
  rangesFrom,
  showRanges,
  withRange,
} from '../../src/contract/item-ranges.js';

const all = (numbers: readonly number[]): readonly Range[] =>
  numbers.reduce<readonly Range[]>(
    (ranges, number) => withRange(ranges, { first: number, last: number }),
    [],
  );

describe('ranges of items', () => {
  it('name exactly the numbers that were put in, in whatever order, in the fewest ranges', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 60 });
    fc.assert(
      fc.property(numbers, (put) => {
        const ranges = all(put);
        for (let number = 0; number <= 61; number++) {
          assert.equal(namesNumber(ranges, number), put.includes(number));
        }
        const gaps = ranges.slice(1).map(({ first }, index) => first - (ranges[index]?.last ?? 0));
        assert.ok(gaps.every((gap) => gap > 1));
        assert.deepEqual(parseRanges(showRanges(ranges)), ranges);
      }),
    );
  });

  it('are short as a text', () => {
    assert.equal(showRanges(all([9, 3, 8, 7])), '3,7-9');
    assert.equal(
      showRanges(withRange(all([3, 4]), { first: 5, last: Number.POSITIVE_INFINITY })),
      '3-',
    );
    assert.equal(showRanges([]), '');
  });

  it('may have no end, and blanks around them', () => {
    const ranges = parseRanges(' 3, 7-9,120- ') ?? [];
    assert.equal(namesNumber(ranges, 1_000_000), true);
    assert.equal(namesNumber(ranges, 10), false);
  });

  it('are told from other texts', () => {
    for (const text of ['a', '3,,4', '-4', '4-3', '3,3', '5,2', '0', '7-,9', '1.5', '3 4']) {
      assert.equal(parseRanges(text), undefined, text);
    }
  });

  it('are cut off before a number', () => {
    const ranges = parseRanges('1-5,8,10-12') ?? [];
    assert.equal(showRanges(rangesFrom(ranges, 4)), '4-5,8,10-12');
    assert.equal(showRanges(rangesFrom(ranges, 13)), '');
  });
});
