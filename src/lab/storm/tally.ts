import { Latencies } from './latencies.js';

/** Why a call had no answer, by its last attempt. */
export type CallError = 'timeout' | 'refused' | 'failure' | 'rejected';

/** What happened in one second. */
export type Second = {
  /** Calls that began. */
  readonly begun: number;
  /** Attempts that were sent. */
  readonly attempts: number;
  /** Calls that ended with an answer. */
  readonly answered: number;
  /** Calls that ended without one. */
  readonly failed: number;
  /** Milliseconds that 99 % of the calls that ended took at most. */
  readonly p99Ms: number;
  /** Attempts that the downstream held at the second's end. */
  readonly held: number;
};

/** What a run came to. */
export type Totals = {
  readonly calls: number;
  readonly attempts: number;
  readonly answered: number;
  /** Calls without an answer, by their last attempt; `rejected` is a breaker's word. */
  readonly errors: Readonly<Record<CallError, number>>;
  /** Attempts whose answer came when nobody waited for it. */
  readonly wasted: number;
  /** Attempts for each call. */
  readonly amplification: number;
  readonly errorShare: number;
  /** Milliseconds until a call's answer or error, of all calls. */
  readonly p50Ms: number;
  readonly p99Ms: number;
};

/** Counts what happens in a run. */
export class Tally {
  readonly seconds: Second[] = [];
  readonly errors: Record<CallError, number> = { timeout: 0, refused: 0, failure: 0, rejected: 0 };
  calls = 0;
  attempts = 0;
  answered = 0;
  wasted = 0;
  readonly #latencies = new Latencies();
  readonly #second = new Latencies();
  #before = { begun: 0, attempts: 0, answered: 0, failed: 0 };

  get failed(): number {
    const { timeout, refused, failure, rejected } = this.errors;
    return timeout + refused + failure + rejected;
  }

  callEnded(error: CallError | undefined, durationMs: number): void {
    if (error === undefined) this.answered += 1;
    else this.errors[error] += 1;
    this.#latencies.add(durationMs);
    this.#second.add(durationMs);
  }

  /** A second is over. */
  endSecond(held: number): void {
    const { calls, attempts, answered, failed } = this;
    const before = this.#before;
    this.seconds.push({
      begun: calls - before.begun,
      attempts: attempts - before.attempts,
      answered: answered - before.answered,
      failed: failed - before.failed,
      p99Ms: this.#second.quantile(0.99),
      held,
    });
    this.#before = { begun: calls, attempts, answered, failed };
    this.#second.clear();
  }

  totals(): Totals {
    const { calls, attempts, answered, wasted } = this;
    return {
      calls,
      attempts,
      answered,
      errors: { ...this.errors },
      wasted,
      amplification: calls === 0 ? 0 : attempts / calls,
      errorShare: calls === 0 ? 0 : this.failed / calls,
      p50Ms: this.#latencies.quantile(0.5),
      p99Ms: this.#latencies.quantile(0.99),
    };
  }
}
