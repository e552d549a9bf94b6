import { showValue } from './show-value.js';

/** The base of every error that holdfast throws. Errors are told apart by `kind`, never by text. */
export abstract class HoldfastError extends Error {
  abstract readonly kind: string;
}

/** One thing wrong with a request: where, which rule it breaks, and what stood there. */
export type Fault = {
  /** Path from the request's root, such as `nodes[2].failureRate`. */
  readonly field: string;
  /** The rule in words that follow the field's name, such as `must be a positive integer`. */
  readonly rule: string;
  /** The value as given; may be anything, NaN and undefined included. */
  readonly value: unknown;
};

/**
 * A request that breaks its rules. `faults` lists every fault found, in the order of the request;
 * `field`, `rule` and `value` repeat the first one.
 */
export class InvalidRequestError extends HoldfastError {
  readonly kind = 'invalid-request';
  readonly code = 'invalid-request';
  override readonly name = 'InvalidRequestError';
  readonly field: string;
  readonly rule: string;
  readonly value: unknown;
  readonly faults: readonly Fault[];

  constructor(faults: readonly [Fault, ...Fault[]]) {
    super(describeFaults(faults));
    this.field = faults[0].field;
    this.rule = faults[0].rule;
    this.value = faults[0].value;
    this.faults = faults;
  }
}

/** A call that a breaker rejected: nothing was sent, and it spends no retry. */
export class BreakerOpenError extends HoldfastError {
  readonly kind = 'breaker-open';
  override readonly name = 'BreakerOpenError';

  constructor(
    readonly downstream: string,
    /** Calls that are still rejected before one may probe; 0 where the next call is the probe. */
    readonly rejectionsLeft: number,
  ) {
    super(
      rejectionsLeft === 0
        ? `The breaker for ${downstream} is open; the next call probes.`
        : `The breaker for ${downstream} is open; it probes after ${rejectionsLeft} more calls.`,
    );
  }
}

/**
 * Returns when the list is empty.
 * Throws `InvalidRequestError` with every fault of the list otherwise.
 */
export function throwFaults(faults: readonly Fault[]): void {
  const [first, ...others] = faults;
  if (first !== undefined) throw new InvalidRequestError([first, ...others]);
}

/** Returns faults as one line: the field, its rule and the value of each. */
export function describeFaults(faults: readonly Fault[]): string {
  return faults.map(describeFault).join('; ');
}

function describeFault({ field, rule, value }: Fault): string {
  return `${field} ${rule}, got ${showValue(value)}`;
}
