import { type Rule, rules } from './rules.js';

/**
 * A count of failures in a row at which a breaker opens: a positive integer, or Infinity for
 * never. JSON has no Infinity, so the text "Infinity" stands for it in policies and states.
 */
export type Threshold = number | 'Infinity';

/** Returns the threshold as a number, its wire form resolved. */
export function thresholdNumber(threshold: Threshold): number {
  return threshold === 'Infinity' ? Number.POSITIVE_INFINITY : threshold;
}

/** The rule for a `Threshold`: its words name the usual case, Infinity passes too. */
export const thresholdRule: Rule = {
  holds: (value) =>
    value === 'Infinity' ||
    value === Number.POSITIVE_INFINITY ||
    rules.positiveInteger.holds(value),
  text: rules.positiveInteger.text,
};
