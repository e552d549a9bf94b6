import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { costMicros, priceFaults } from '../../src/budget/prices.js';

const price = { input: 3_000_000, cached: 300_000, output: 15_000_000 };
const usage = { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 200 };
const tokens = fc.nat({ max: 10_000_000 });

describe('the cost of an answer', () => {
  it('counts cached input at its own price and the rest at the full one', () => {
    assert.equal(costMicros(usage, price), 600 * 3 + 400 * 0.3 + 200 * 15);
  });

  it('takes cached input for other input where it has no price of its own', () => {
    assert.equal(costMicros(usage, { input: 3_000_000, output: 15_000_000 }), 6_000);
  });

  it('is rounded once, over the whole sum, halves up', () => {
    const third = { input: 500_000, output: 500_000 };
    const one = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 0 };
    assert.equal(costMicros(one, third), 1);
    assert.equal(costMicros({ ...one, outputTokens: 1 }, third), 1);
    assert.equal(costMicros(one, { input: 499_999, output: 0 }), 0);
  });

  it('never charges more cached input than there was input', () => {
    const odd = { inputTokens: 10, cachedInputTokens: 99, outputTokens: 0 };
    assert.equal(costMicros(odd, price), 3);
  });

  it('takes a figure that a provider left out for none', () => {
    const odd = { inputTokens: Number.NaN, cachedInputTokens: -4, outputTokens: 200 };
    assert.equal(costMicros(odd, price), 3_000);
  });

  it('is exact past what a plain product of numbers holds', () => {
    const dear = { input: 1_000_000_001, output: 1 };
    const many = { inputTokens: 1_000_000_007, cachedInputTokens: 0, outputTokens: 0 };
    assert.equal(costMicros(many, dear), 1_000_000_008_000);
  });

  it('is a whole number that never falls when more is used', () => {
    fc.assert(
      fc.property(tokens, tokens, tokens, (inputTokens, outputTokens, more) => {
        const before = costMicros({ inputTokens, cachedInputTokens: 0, outputTokens }, price);
        const grown = { inputTokens: inputTokens + more, cachedInputTokens: 0, outputTokens };
        assert.ok(Number.isInteger(before));
        assert.ok(costMicros(grown, price) >= before);
      }),
    );
  });
});

describe('prices', () => {
  it('are refused where they are no whole numbers', () => {
    const faults = priceFaults({ fast: { input: 0.5, cached: -1, output: 2 } }, 'prices');
    assert.deepEqual(
      faults.map(({ field }) => field),
      ['prices.fast.input', 'prices.fast.cached'],
    );
  });
});
