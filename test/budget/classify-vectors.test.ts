import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { classify } from '../../src/budget/classify.js';
import type { Classification, ClassifyInput } from '../../src/budget/classify-types.js';
import { projectFile } from '../support/root.js';

type Row = ClassifyInput & {
  readonly id: string;
  readonly expected: Classification;
  readonly why: string;
};

// The vectors are handed with the project; each line is one row of this form.
const rows = readFileSync(projectFile('test', 'vectors', 'errors.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as Row);

describe('errors from public reports', () => {
  it('are all read', () => {
    assert.equal(rows.length, 91);
  });

  for (const row of rows) {
    it(`${row.id}: ${row.why}`, () => {
      assert.deepEqual(classify(row), row.expected);
    });
  }
});
