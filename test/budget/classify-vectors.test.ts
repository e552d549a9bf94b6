import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { classify } from '../../src/budget/classify.js';
import type { Classification, ClassifyInput, ErrorFacts } from '../../src/budget/classify-types.js';
import { projectFile } from '../support/root.js';

type Row = ClassifyInput & {
  readonly id: string;
  readonly error: ErrorFacts;
  readonly expected: Classification;
  readonly why: string;
};

// The vectors are handed with the project; each line is one row of this form.
const rows = readFileSync(projectFile('test', 'vectors', 'errors.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => JSON.parse(line) as Row);

/** Ways in which the same error reaches a program through other clients and wrappers. */
const disguises: Readonly<Record<string, (error: ErrorFacts) => Partial<ErrorFacts>>> = {
  'with header names in capitals and values in lists': (error) => ({
    ...error,
    headers: Object.fromEntries(
      Object.entries(error.headers).map(([name, value]) => [name.toUpperCase(), [value].flat()]),
    ),
  }),
  'with the body as text': (error) => ({ ...error, body: JSON.stringify(error.body) }),
  'with the body as text in the message of an answer': (error) => ({
    ...error,
    body: { message: JSON.stringify(error.body) },
  }),
  'with the body in a list': (error) => ({ ...error, body: [error.body] }),
  'with the cause two layers deeper': (error) => ({
    ...error,
    cause: error.cause === null ? null : { cause: { cause: error.cause } },
  }),
  'with the status in the metadata of an SDK': (error) =>
    error.status === null || error.status < 400
      ? error
      : { ...error, status: null, body: { $metadata: { httpStatusCode: error.status }, error } },
};

describe('errors from public reports', () => {
  it('are all read', () => {
    assert.equal(rows.length, 91);
  });

  for (const row of rows) {
    it(`${row.id}: ${row.why}`, () => {
      assert.deepEqual(classify(row), row.expected);
    });
  }

  for (const [how, disguise] of Object.entries(disguises)) {
    it(`get the same verdict ${how}`, () => {
      for (const row of rows) {
        assert.deepEqual(classify({ ...row, error: disguise(row.error) }), row.expected, row.id);
      }
    });
  }
});
