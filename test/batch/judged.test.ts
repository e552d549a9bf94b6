import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judged } from '../../src/workflows/batch-child.js';

describe('the result of a batch’s item', () => {
  const rows: readonly (readonly [unknown, 'ok' | 'degraded'])[] = [
    [undefined, 'ok'],
    ['degraded', 'ok'],
    [{ kind: 'ok', degraded: false }, 'ok'],
    [{ kind: 'ok', degraded: true }, 'degraded'],
    [{ kind: 'partial', degraded: false }, 'degraded'],
    [{ kind: 'degraded', text: 'A person will answer.' }, 'degraded'],
    [{ kind: 'limited', text: 'As far as I came' }, 'degraded'],
  ];
  for (const [result, expected] of rows) {
    it(`${JSON.stringify(result)} counts as ${expected}`, () => {
      assert.equal(judged(result), expected);
    });
  }
});
