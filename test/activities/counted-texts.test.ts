import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rememberCounts } from '../../src/activities/models/counted-texts.js';

function counting(remembered: number): {
  readonly count: (text: string) => number;
  readonly counted: readonly string[];
} {
  const counted: string[] = [];
  const count = rememberCounts((text) => {
    counted.push(text);
    return text.length * 2;
  }, remembered);
  return { count, counted };
}

describe('texts that were counted lately', () => {
  it('are not counted again', () => {
    const { count, counted } = counting(100);
    assert.deepEqual(['one', 'two', 'one'].map(count), [6, 6, 6]);
    assert.deepEqual(counted, ['one', 'two']);
  });

  it('are forgotten where they are too many, the one first that was used longest ago', () => {
    const { count, counted } = counting(6);
    for (const text of ['one', 'two', 'one', 'six', 'one', 'two']) count(text);
    assert.deepEqual(counted, ['one', 'two', 'six', 'two']);
  });

  it('stay remembered beside one that is too long to be', () => {
    const { count, counted } = counting(2);
    assert.deepEqual(['long', 'long', 'a', 'a'].map(count), [8, 8, 2, 2]);
    assert.deepEqual(counted, ['long', 'long', 'a']);
  });
});
