import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderRun } from '../../src/cli/run/run-text.js';

function shown(result: unknown): readonly string[] {
  const run = { workflowId: 'w', runId: 'r', how: 'started', end: { kind: 'ok', result } } as const;
  return renderRun(run, (_style, text) => text).split('\n');
}

describe('the answer of a run', () => {
  const rows = [
    { name: 'a text', result: { text: 'a\u009b31mb\nc' }, lines: ['a\\u{9b}31mb', 'c'] },
    { name: 'JSON', result: { say: '\u009b31m' }, lines: ['{', '  "say": "\\u{9b}31m"', '}'] },
    { name: 'a word', result: '\u202e', lines: ['"\\u{202e}"'] },
    { name: 'nothing', result: undefined, lines: ['nothing'] },
  ];
  for (const { name, result, lines } of rows) {
    it(`is shown without what a terminal would obey: ${name}`, () => {
      assert.deepEqual(shown(result), ['w ended ok', ...lines]);
    });
  }
});
