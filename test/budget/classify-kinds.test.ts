import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { classify } from '../../src/budget/classify.js';
import type { Classification, ClassifyInput } from '../../src/budget/classify-types.js';
import { projectFile } from '../support/root.js';

type Row = ClassifyInput & {
  readonly kind: string;
  readonly claim: string;
  readonly expected: Classification;
};

// Errors of the kinds that providers and runtimes are known to give, one a line, in this form.
const rows = readFileSync(projectFile('test', 'budget', 'error-kinds.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as Row);

for (const kind of new Set(rows.map((row) => row.kind))) {
  describe(`classify: ${kind}`, () => {
    for (const row of rows.filter((each) => each.kind === kind)) {
      it(row.claim, () => {
        assert.deepEqual(classify(row), row.expected);
      });
    }
  });
}
