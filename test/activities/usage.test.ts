import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { implementTool } from 'holdfast';
import { defineTool } from 'holdfast/contract';
import { z } from 'zod';
import { withWaste } from '../../src/activities/attempt-usage.js';
import { createPricing } from '../../src/activities/pricing.js';
import type { ToolContext } from '../../src/index.js';
import { answeredAttempt, failedAttempt, statusError } from './attempts.js';

const summarise = defineTool({
  name: 'summarise',
  description: 'Shorten a text',
  input: z.object({}),
  output: z.object({ text: z.string() }),
  effect: 'read',
  downstream: 'model',
});
const prices = { fast: { input: 3_000_000, cached: 300_000, output: 15_000_000 } };
const usage = { model: 'fast', inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 200 };
/** 600 at 3, 400 at 0.3 and 200 at 15 units a million. */
const cost = 1_800 + 120 + 3_000;

function summary(work: (context: ToolContext) => unknown): () => Promise<unknown> {
  const { activity } = implementTool(
    summarise,
    async (_input, context) => {
      await work(context);
      return { text: 'short' };
    },
    { prices },
  );
  return () => activity({});
}

describe('what an attempt uses', () => {
  it('is priced and told in its envelope', async () => {
    const { tokens, cost: told } = await answeredAttempt(summary((one) => one.addUsage(usage)));
    assert.deepEqual([tokens, told], [1_200, cost]);
  });

  it('has the cost null where the price of the model is not known', async () => {
    const unknown = { ...usage, model: 'other' };
    const told = await answeredAttempt(summary((one) => one.addUsage(unknown)));
    assert.deepEqual([told.tokens, told.cost], [1_200, null]);
  });

  const spent = {
    failed: 'f',
    tokensWasted: 1_200,
    ambiguous: false,
    costWasted: cost,
    delayMs: 1,
  };
  const rows = [
    { end: 'a failure of the server', status: 500, sums: spent },
    { end: 'a conflict', status: 409, sums: { ...spent, failed: 'n' } },
    { end: 'a bad request', status: 400, sums: { ...spent, failed: 'n' } },
    { end: 'a rate limit', status: 429, sums: { failed: 'n', tokensWasted: 0, ambiguous: false } },
    { end: 'a spent quota', status: 402, sums: { failed: 'f', tokensWasted: 0, ambiguous: false } },
  ];
  for (const { end, status, sums } of rows) {
    it(`is booked as its table says after ${end}`, async () => {
      const failing = summary((one) => {
        one.addUsage(usage);
        throw statusError(status);
      });
      const { delayMs: _own, ...told } = (await failedAttempt(failing)).detail.sums;
      const { delayMs: _row, ...expected } = { delayMs: 0, ...sums };
      assert.deepEqual(told, expected);
    });
  }

  it('is the estimate where a timeout ends it that nobody tells the figures of', async () => {
    const slow = summary((one) => {
      one.expectUsage(() => usage);
      throw statusError(504);
    });
    const { sums } = (await failedAttempt(slow)).detail;
    assert.deepEqual([sums.tokensWasted, sums.costWasted], [1_200, cost]);
  });

  it('is what was told where a timeout comes after that', async () => {
    const slow = summary((one) => {
      one.expectUsage(() => usage);
      one.addTokens(7);
      throw statusError(504);
    });
    assert.equal((await failedAttempt(slow)).detail.sums.tokensWasted, 7);
  });

  it('asks for no estimate where the end is no timeout', async () => {
    let asked = 0;
    const failing = summary((one) => {
      one.expectUsage(() => {
        asked += 1;
        return usage;
      });
      throw statusError(500);
    });
    assert.equal((await failedAttempt(failing)).detail.sums.tokensWasted, 0);
    assert.equal(asked, 0);
  });
});

describe('a pricing', () => {
  it('warns once of each model that has no price', () => {
    const warnings: string[] = [];
    const price = createPricing({}, (message) => warnings.push(message));
    for (const model of ['one', 'one', 'two', 'one']) price({ ...usage, model });
    assert.equal(warnings.length, 2);
    assert.match(warnings[0] ?? '', /The model one has no price/);
  });

  it('takes no word that every object has for a model of its own', () => {
    assert.equal(createPricing({}, () => {})({ ...usage, model: 'constructor' }).costMicros, null);
  });
});

describe('the sums of failed attempts', () => {
  it('count attempts without a price beside the cost of the others', () => {
    const none = { failed: '', tokensWasted: 0, ambiguous: false };
    const priced = withWaste(none, { tokens: 10, costMicros: 5 });
    const both = withWaste(priced, { tokens: 1, costMicros: null });
    assert.deepEqual(both, { ...none, tokensWasted: 11, costWasted: 5, unpriced: 1 });
  });
});
