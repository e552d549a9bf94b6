import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createTokenCounter, pieces } from '../../src/activities/models/token-count.js';
import { createTokenEstimates, outputReserve } from '../../src/activities/models/token-estimate.js';
import type { ModelMessage } from '../../src/contract/index.js';

const count = createTokenCounter();

describe('the tokens of a text', () => {
  it('are those of the vocabulary for an ordinary text', () => {
    const text = 'The parcel left the depot on Monday, and nobody has seen it since. '.repeat(40);
    assert.equal(count(text), countTokens(text));
  });

  for (const [what, text] of [
    ['letters', 'a'.repeat(50_000)],
    ['blanks', ' '.repeat(50_000)],
    ['characters of three bytes', '包'.repeat(50_000)],
  ] as const) {
    it(`are counted in slices where ${what} stand in one unbroken run`, () => {
      const slices = pieces(text);
      assert.ok(slices.length >= 100, String(slices.length));
      assert.ok(slices.every((slice) => slice.length <= 500));
      assert.equal(slices.join(''), text);
    });
  }

  it('differ by less than a hundredth for a run that is counted in slices', () => {
    const run = 'a'.repeat(4_000);
    const whole = countTokens(run);
    assert.ok(Math.abs(count(run) - whole) <= whole / 100, `${count(run)} of ${whole}`);
  });

  it('are counted where the text says what is a special token elsewhere', () => {
    assert.ok(count('<|endoftext|>') > 1);
  });

  it('are a quarter of the bytes where the vocabulary throws', () => {
    const guess = createTokenCounter(() => {
      throw new Error('no such token');
    });
    assert.equal(guess('ab包'), 2);
    assert.equal(guess('x'.repeat(400)), 100);
  });

  it('are never none', () => {
    assert.equal(count(''), 1);
  });

  it('grow with the text past what is counted of it', () => {
    const text = 'word '.repeat(60_000);
    const counted = count(text);
    assert.ok(Math.abs(counted - 60_000) < 600, String(counted));
  });

  it('lose no character in slices', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.nat(900))), (parts) => {
        const text = parts.map(([unit, times]) => unit.repeat(times)).join(' ');
        assert.equal(pieces(text).join(''), text);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the estimate of a prompt', () => {
  const messages: readonly ModelMessage[] = [{ role: 'user', content: 'Where is my parcel?' }];
  const prompt = { messages, tools: [], responseSchema: undefined };

  it('holds tools, results and schemas beside the messages', () => {
    const { count: counted } = createTokenEstimates(count);
    const tool = { name: 'look', description: 'Find an order', inputSchema: { type: 'object' } };
    const result: ModelMessage = {
      role: 'tool',
      toolCallId: '1',
      toolName: 'look',
      output: { state: 'in the van' },
    };
    const bare = counted(prompt);
    assert.ok(counted({ ...prompt, tools: [tool] }) > bare + 5);
    assert.ok(counted({ ...prompt, messages: [...messages, result] }) > bare + 5);
    assert.ok(counted({ ...prompt, responseSchema: { type: 'object' } }) > bare + 5);
  });

  it('is corrected for each model by what that model has really read', () => {
    const estimates = createTokenEstimates(count);
    for (let answer = 0; answer < 40; answer += 1) {
      estimates.learn('thrifty', { counted: 100, used: 50 });
    }
    assert.equal(estimates.input('thrifty', 200), 101);
    assert.equal(estimates.input('other', 200), 200);
  });
});

describe('the reserve for an answer', () => {
  for (const [what, stated, perMinute, input, expected] of [
    ['is what the caller says, whatever the limit', 5_000, 100, 10, 5_000],
    ['is what the limit has left beside the prompt', undefined, 100, 10, 90],
    ['is a usual answer where there is room', undefined, 90_000, 10, 1_000],
    ['is nothing where the prompt alone is past the limit', undefined, 100, 101, 0],
  ] as const) {
    it(what, () => {
      assert.equal(outputReserve(stated, { input, perMinute }), expected);
    });
  }
});
