import { throwFaults } from './errors.js';
import { comparePercent } from './percent.js';
import { faultsOf, rules } from './rules.js';
import { type CountedAt, SlidingCount } from './sliding-count.js';

/** How many of a downstream's calls may be retries (spec, section 6: per client, per downstream). */
export type RatioFigures = {
  readonly percent: number;
  readonly windowMs: number;
  /** Calls in the window below which it isn't enforced. */
  readonly minSamples: number;
};

/**
 * The calls and the retries of a sliding window. Calls are the attempts that were sent in it, retries included. A
 * retry is charged when it is decided and stands until the window's length after it is due, so that those that wait
 * in backoff count.
 */
export class RatioBudget {
  readonly #calls = new SlidingCount();
  readonly #retries = new SlidingCount();

  constructor(readonly windowMs: number) {}

  /** Counts a call that is sent at `nowMs`; what it returns goes to `takeBack`, once. */
  callSent(nowMs: number): CountedAt {
    this.isEmpty(nowMs); // where nobody asks for a retry, what the window has passed over is forgotten all the same
    // whole milliseconds share a slot; a call leaves the window a part of one early, a retry as much late
    return this.#calls.add(Math.floor(nowMs));
  }

  /** Counts a call no longer: it was cancelled, or never sent. */
  takeBack(call: CountedAt): void {
    this.#calls.remove(call);
  }

  /** Tells whether one more retry keeps retries within their share of the calls, or too few calls were sent to tell. */
  allows({ percent, minSamples }: Omit<RatioFigures, 'windowMs'>, nowMs: number): boolean {
    const calls = this.calls(nowMs);
    return calls < minSamples || comparePercent(this.retries(nowMs) + 1, calls, percent) <= 0;
  }

  /** Charges a retry that is due at `dueAtMs`; what it returns goes to `refund`, once. */
  charge(dueAtMs: number): CountedAt {
    return this.#retries.add(Math.ceil(dueAtMs));
  }

  /** Charges a retry no longer: it won't be sent. */
  refund(retry: CountedAt): void {
    this.#retries.remove(retry);
  }

  /** Calls in the window. */
  calls(nowMs: number): number {
    return this.#calls.countAfter(nowMs - this.windowMs);
  }

  /** Retries in the window, those that wait for their time included. */
  retries(nowMs: number): number {
    return this.#retries.countAfter(nowMs - this.windowMs);
  }

  /** Tells whether the window holds nothing. */
  isEmpty(nowMs: number): boolean {
    return this.calls(nowMs) + this.retries(nowMs) === 0;
  }
}

/**
 * Returns when the figures keep their rules.
 * Throws `InvalidRequestError` with every fault otherwise.
 */
export function checkRatioFigures({ percent, windowMs, minSamples }: RatioFigures): void {
  throwFaults([
    ...faultsOf('percent', percent, rules.nonNegativeNumber),
    ...faultsOf('windowMs', windowMs, rules.positiveNumber),
    ...faultsOf('minSamples', minSamples, rules.nonNegativeInteger),
  ]);
}
