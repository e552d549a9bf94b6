import assert from 'node:assert/strict';
import { type Fault, InvalidRequestError } from '../../src/budget/errors.js';

/** Returns the faults that a check throws; fails where it throws nothing, or anything else. */
export function faultsOf(check: () => unknown): readonly Fault[] {
  try {
    check();
  } catch (error) {
    assert.ok(error instanceof InvalidRequestError, `not an invalid request: ${String(error)}`);
    return error.faults;
  }
  throw new assert.AssertionError({ message: 'nothing was found invalid' });
}

/** Returns faults as lines of place and rule. */
export function linesOf(faults: readonly Fault[]): string[] {
  return faults.map(({ field, rule }) => `${field} ${rule}`);
}
