import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunState } from 'holdfast/contract';
import { wasteOf } from '../../src/workflows/run-metrics.js';

const slice = { retries: 1, tokens: 100, retryTokens: 100, deadlineAt: null };
const goesOnAfter = (wasted: number): Pick<RunState, 'inherited'> => ({
  inherited: { workflowId: 'first', spent: { retries: 1, tokens: { useful: 20, wasted } } },
});

describe('what failed attempts made of the tokens of a run', () => {
  const cases: readonly (readonly [string, Parameters<typeof wasteOf>[0], object])[] = [
    ['nothing', { tokens: { useful: 0, wasted: 0 } }, { percent: undefined, isOverload: false }],
    [
      'half of its target',
      { tokens: { useful: 50, wasted: 50 } },
      { percent: 50, isOverload: false },
    ],
    ['more', { tokens: { useful: 20, wasted: 60 } }, { percent: 75, isOverload: true }],
    [
      'nothing, where an earlier try had wasted more: that one was counted',
      { tokens: { useful: 80, wasted: 60 }, ...goesOnAfter(60) },
      { percent: 0, isOverload: false },
    ],
    [
      'more, together with an earlier try that had not',
      { tokens: { useful: 80, wasted: 60 }, ...goesOnAfter(30) },
      { percent: (100 * 30) / 90, isOverload: true },
    ],
    [
      'more of its slice, which is no target of a tenant',
      { tokens: { useful: 20, wasted: 60 }, slice },
      { percent: 75, isOverload: false },
    ],
  ];
  for (const [what, state, expected] of cases) {
    it(what, () => assert.deepEqual(wasteOf(state, 100), expected));
  }
});
