import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkTask, defineTool } from 'holdfast/contract';
import { z } from 'zod';
import { truncatedText } from '../../src/contract/truncated-text.js';
import { faultsOf } from './faults.js';

const base = {
  name: 'sum_up',
  description: 'Sums an article up',
  input: z.object({ article: z.object({ body: z.string() }), ids: z.array(z.string()).optional() }),
  output: z.string(),
  effect: 'read',
  downstream: 'model',
} as const;

/** Defines a tool with a fallback that may be wrong in ways that types would refuse. */
function define(fallback: unknown, output: z.ZodType = base.output): unknown {
  return defineTool({ ...base, output, fallback } as unknown as typeof base); // a program without types
}

function linesOf(fallback: unknown, output?: z.ZodType): readonly string[] {
  const faults = faultsOf(() => define(fallback, output));
  return faults.map(({ field, rule }) => `${field.replace('tools.sum_up.', '')} ${rule}`);
}

const suits =
  'must suit the output of sum_up: a text needs an output that is a string or an object with `text`';

describe('a fallback that a tool declares', () => {
  const right: readonly (readonly [what: string, fallback: unknown])[] = [
    ['the beginning of a text of the input', { truncate: { field: 'article.body' } }],
    ['a shorter beginning', { truncate: { field: 'article.body', characters: 20 } }],
    ['a rule', { rule: () => 'by rule' }],
    ['a message that it is disabled', { disabled: 'Not today.' }],
    ['several ways', [{ truncate: { field: 'ids.0' } }, { text: 'busy' }, { disabled: 'No.' }]],
  ];
  for (const [what, fallback] of right) {
    it(`may be ${what}`, () => assert.doesNotThrow(() => define(fallback)));
  }

  const wrong: readonly (readonly [what: string, fallback: unknown, line: string])[] = [
    [
      'a place that the input lacks',
      { truncate: { field: 'article.title.x' } },
      'fallback.truncate.field must name a place in the input of sum_up: a key, or keys joined by dots',
    ],
    [
      'no number of characters',
      { truncate: { field: 'article.body', characters: 0 } },
      'fallback.truncate.characters must be a positive integer',
    ],
    [
      'a bare place',
      { truncate: 'article.body' },
      'fallback.truncate must be {field: "…", characters?: …}',
    ],
    [
      'a rule that is no function',
      { rule: 'none' },
      'fallback.rule must be a function of the input',
    ],
    ['an empty message', { disabled: ' ' }, 'fallback.disabled must be a text that is not blank'],
    ['no way at all', [], 'fallback must hold at least one way'],
    [
      'a way behind one that never answers',
      [{ disabled: 'No.' }, { text: 'busy' }],
      'fallback.0 must come last: it never answers',
    ],
    [
      'a wrong one among several',
      [{ text: 'busy' }, { rule: 1 }],
      'fallback.1.rule must be a function of the input',
    ],
  ];
  for (const [what, fallback, line] of wrong) {
    it(`may not be ${what}`, () => assert.deepEqual(linesOf(fallback), [line]));
  }

  it('may not be of two kinds', () => {
    const [line] = linesOf({ text: 'busy', disabled: 'No.' });
    assert.match(line ?? '', /^fallback must be \{value: …\}.* or a list of these$/);
  });

  it('may not be a text that its output has no room for', () => {
    const truncate = { field: 'article.body', characters: 20 };
    assert.deepEqual(linesOf({ truncate }, z.string().max(19)), [`fallback.truncate ${suits}`]);
    assert.deepEqual(linesOf({ truncate }, z.number()), [`fallback.truncate ${suits}`]);
  });
});

describe('a fallback that a step brings', () => {
  const tool = defineTool(base);
  const step = { id: 'a', tool: 'sum_up', input: { article: { body: 'long' } } };

  it('may be any way that JSON can carry, or several', () => {
    const ways = [{ truncate: { field: 'article.body' } }, { value: 'short' }, { disabled: 'No.' }];
    for (const fallback of [...ways, ways]) {
      assert.doesNotThrow(() => checkTask({ steps: [{ ...step, fallback }] }, [tool]));
    }
  });

  it('is checked way by way', () => {
    const fallback = [{ disabled: 'No.' }, { truncate: { field: 'nothing' } }, { value: 7 }];
    const faults = faultsOf(() => checkTask({ steps: [{ ...step, fallback }] }, [tool]));
    assert.deepEqual(
      faults.map(({ field }) => field),
      [
        'task.steps.0.fallback.0',
        'task.steps.0.fallback.1.truncate.field',
        'task.steps.0.fallback.2.value',
      ],
    );
  });
});

describe('a truncation', () => {
  const first = (characters: number, text: string): string | undefined =>
    truncatedText({ truncate: { field: 'a.0', characters } }, { a: [text] });

  it('keeps whole characters, whatever the units that they are made of', () => {
    assert.equal(first(3, '🫖é漢字'), '🫖é漢');
    assert.equal(first(9, 'short'), 'short');
  });

  it('keeps 300 where it doesn’t say how many', () => {
    const input = { body: '🫖'.repeat(400) };
    assert.equal(truncatedText({ truncate: { field: 'body' } }, input), '🫖'.repeat(300));
  });

  it('is none where no text stands, in the object itself', () => {
    for (const field of ['b', 'a', 'a.1', 'a.length', 'constructor.name']) {
      assert.equal(truncatedText({ truncate: { field } }, { a: ['x'] }), undefined, field);
    }
  });
});
