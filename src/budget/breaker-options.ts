import { InvalidRequestError, throwFaults } from './errors.js';
import { faultsOf, type Rule, rules } from './rules.js';
import { type Threshold, thresholdRule } from './threshold.js';

/** When a counting breaker opens, and when it lets a probe through. */
export type BreakerOptions = {
  /** Failures in a row that open it; Infinity (in JSON "Infinity") never does. */
  readonly failureThreshold: Threshold;
  /** Calls that it rejects before one may probe, an integer of at least 1. */
  readonly halfOpenAfterCalls: number;
  /**
   * Milliseconds after which a call may probe, however few were rejected.
   * @default only the count of rejected calls decides
   */
  readonly probeAfterMs?: number;
};

/** The options of a live breaker where nobody gives others. */
export const breakerDefaults = {
  failureThreshold: 3,
  halfOpenAfterCalls: 3,
  probeAfterMs: 30_000,
} as const satisfies BreakerOptions;

const probeAfterRule: Rule = {
  holds: (value) => value === undefined || rules.positiveNumber.holds(value),
  text: rules.positiveNumber.text,
};

/**
 * Returns when the options keep their rules.
 * Throws `InvalidRequestError` with every fault otherwise.
 */
export function checkBreakerOptions(options: BreakerOptions): void {
  if (!rules.object.holds(options)) {
    throw new InvalidRequestError([{ field: 'options', rule: rules.object.text, value: options }]);
  }
  const { failureThreshold, halfOpenAfterCalls, probeAfterMs } = options;
  throwFaults([
    ...faultsOf('failureThreshold', failureThreshold, thresholdRule),
    ...faultsOf('halfOpenAfterCalls', halfOpenAfterCalls, rules.positiveInteger),
    ...faultsOf('probeAfterMs', probeAfterMs, probeAfterRule),
  ]);
}
