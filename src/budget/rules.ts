import type { Fault } from './errors.js';

/** A validation rule: what a value must be, as a test and in words. */
export type Rule = {
  readonly holds: (value: unknown) => boolean;
  /** Words that follow the field's name in a message. */
  readonly text: string;
};

/** The rules for numbers and texts that the requests of this folder share. */
export const rules = {
  positiveInteger: {
    holds: (value) => isCount(value) && value >= 1,
    text: 'must be a positive integer',
  },
  nonNegativeInteger: {
    holds: isCount,
    text: 'must be a non-negative integer',
  },
  nonNegativeNumber: {
    holds: (value) => Number.isFinite(value) && Number(value) >= 0,
    text: 'must be a finite number of at least 0',
  },
  positiveNumber: {
    holds: (value) => Number.isFinite(value) && Number(value) > 0,
    text: 'must be a finite number above 0',
  },
  failureRate: {
    holds: (value) => typeof value === 'number' && value >= 0 && value < 1,
    text: 'must be a number of at least 0 and below 1',
  },
  probability: {
    holds: (value) => typeof value === 'number' && value >= 0 && value <= 1,
    text: 'must be a number from 0 to 1',
  },
  boolean: {
    holds: (value) => typeof value === 'boolean',
    text: 'must be true or false',
  },
  text: {
    holds: (value) => typeof value === 'string' && value.trim() !== '',
    text: 'must be a text that is not blank',
  },
  object: {
    holds: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    text: 'must be an object',
  },
} as const satisfies Record<string, Rule>;

/** Number.isSafeInteger is a call into the engine for each value: a third of a large plan's time. */
function isCount(value: unknown): value is number {
  return (
    typeof value === 'number' &&
    value >= 0 &&
    value <= Number.MAX_SAFE_INTEGER &&
    Math.floor(value) === value
  );
}

/** Returns the fault of one value against one rule: a list of one, or empty where it holds. */
export function faultsOf(field: string, value: unknown, rule: Rule): readonly Fault[] {
  return rule.holds(value) ? [] : [{ field, rule: rule.text, value }];
}
