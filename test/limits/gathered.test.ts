import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gathered } from '../../src/limits/gathered.js';

/** Doubles numbers, and remembers which of them went together. */
function doubling() {
  const runs: (readonly number[])[] = [];
  const double = gathered(async (numbers: readonly number[]) => {
    runs.push(numbers);
    await Promise.resolve();
    if (numbers.includes(13)) throw new Error('thirteen');
    return numbers.map((number) => number * 2);
  });
  return { runs, double };
}

describe('what is gathered', () => {
  it('goes together where it comes while something runs, and each gets its own answer', async () => {
    const { runs, double } = doubling();
    assert.deepEqual(await Promise.all([1, 2, 3].map(double)), [2, 4, 6]);
    assert.deepEqual(runs, [[1], [2, 3]]);
    assert.equal(await double(4), 8);
    assert.deepEqual(runs.at(-1), [4]);
  });

  it('fails together, and what comes later goes on', async () => {
    const { double } = doubling();
    const ends = await Promise.allSettled([1, 13, 3].map(double));
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected'],
    );
    assert.equal(await double(4), 8);
  });

  it('fails where there are fewer answers than questions', async () => {
    const silent = gathered(async () => []);
    await assert.rejects(silent(1), /no answer/);
  });
});
