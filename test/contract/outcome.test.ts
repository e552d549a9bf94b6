import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasValue, type Outcome, type OutcomeKind } from 'holdfast/contract';

const kinds: Readonly<Record<OutcomeKind, boolean>> = {
  ok: true,
  degraded: true,
  exhausted: false,
  rejected: false,
  failed: false,
  denied: false,
  unknown: false,
};

describe('an outcome', () => {
  for (const [kind, expected] of Object.entries(kinds)) {
    it(`${expected ? 'carries a value' : 'carries none'} where it is ${kind}`, () => {
      // Only the kind is read.
      assert.equal(hasValue({ kind } as Outcome<string>), expected);
    });
  }
});
