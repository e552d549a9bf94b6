import { assertNever } from './assert-never.js';
import type { Admitted, BreakerEnd, Rejected } from './breaker.js';
import { throwFaults } from './errors.js';
import { comparePercent } from './percent.js';
import { faultsOf, rules } from './rules.js';
import { SlidingCount } from './sliding-count.js';
import { type Threshold, thresholdNumber, thresholdRule } from './threshold.js';

/** When the breaker that a worker keeps for a downstream opens and probes. */
export type WorkerBreakerOptions = {
  /** Failures in a row that open it; Infinity (in JSON "Infinity") never does. */
  readonly consecutiveFailureThreshold: Threshold;
  /** Percent of the window's calls that open it when they fail. */
  readonly failurePercent: number;
  /** Calls in the window below which that percentage isn't looked at. */
  readonly minSamples: number;
  readonly windowMs: number;
  /** Calls that it rejects at least before the one probe. */
  readonly halfOpenAfterCalls: number;
  /** Milliseconds that it stays open at least. */
  readonly openForMs: number;
};

/** What a worker's breaker answers to a call. */
export type WorkerAdmission =
  | Admitted
  | (Rejected & {
      /** Milliseconds in which no call is admitted, however many come. */
      readonly waitMs: number;
    });

/** No probe is admitted before both are over: so many rejections, and a moment. */
type Cooldown = { readonly rejectionsLeft: number; readonly untilMs: number };

type State =
  | { readonly kind: 'closed'; readonly failuresInARow: number; readonly lastFailureAtMs: number }
  | ({ readonly kind: 'open' } & Cooldown)
  /** A probe is in flight; when this cooldown is over without an end of it, another one takes its place. */
  | ({ readonly kind: 'half-open' } & Cooldown);

const closed: State = { kind: 'closed', failuresInARow: 0, lastFailureAtMs: 0 };

/**
 * The breaker that a worker keeps for a downstream, for all runs together. It opens at so many failures in a row, or
 * at a share of the calls that ended within the window; both forget what lies further back than the window. Open, it
 * rejects a number of calls and at least for a time, and then lets one probe through. Times are milliseconds of a
 * clock that never steps back.
 */
export class WorkerBreaker {
  #state: State = closed;
  /** Rises with each change of kind and each forfeited probe: an end that was admitted before changes nothing. */
  #generation = 0;
  readonly #successes = new SlidingCount();
  readonly #failures = new SlidingCount();

  get kind(): State['kind'] {
    return this.#state.kind;
  }

  /**
   * Answers one call.
   * @throws InvalidRequestError for options that break their rules
   */
  admit(options: WorkerBreakerOptions, nowMs: number): WorkerAdmission {
    checkOptions(options);
    const state = this.#state;
    if (state.kind === 'closed') return this.#admitted(false);
    if (state.rejectionsLeft === 0 && nowMs >= state.untilMs) {
      this.#become({ kind: 'half-open', ...cooldownFrom(options, nowMs) });
      return this.#admitted(true);
    }
    const rejectionsLeft = Math.max(0, state.rejectionsLeft - 1);
    this.#state = { ...state, rejectionsLeft };
    return { kind: 'rejected', rejectionsLeft, waitMs: Math.max(0, state.untilMs - nowMs) };
  }

  /** Counts the end of an admitted call. The probe's end decides: no share and no row is asked for it. */
  record(options: WorkerBreakerOptions, { generation, end, nowMs }: BreakerEnd): void {
    if (generation !== this.#generation) return;
    switch (this.#state.kind) {
      case 'closed':
        this.#count(options, end, nowMs);
        return;
      case 'open':
        return; // nothing is admitted in a generation that begins open
      case 'half-open':
        this.#settleProbe(options, end, nowMs);
        return;
      default:
        assertNever(this.#state);
    }
  }

  #admitted(probe: boolean): WorkerAdmission {
    return { kind: 'admitted', generation: this.#generation, probe };
  }

  #count(options: WorkerBreakerOptions, end: BreakerEnd['end'], nowMs: number): void {
    if (end === 'neutral') return;
    if (end === 'success') {
      this.#successes.add(nowMs);
      this.#state = closed;
    } else {
      this.#failures.add(nowMs);
      this.#lengthenRow(options, nowMs);
    }
    if (this.#isFailing(options, nowMs)) this.#open(cooldownFrom(options, nowMs));
  }

  /** A failure that comes longer than the window after the one before begins a row of its own. */
  #lengthenRow({ windowMs }: WorkerBreakerOptions, nowMs: number): void {
    if (this.#state.kind !== 'closed') return;
    const { failuresInARow, lastFailureAtMs } = this.#state;
    const row = nowMs - lastFailureAtMs >= windowMs ? 0 : failuresInARow;
    this.#state = { kind: 'closed', failuresInARow: row + 1, lastFailureAtMs: nowMs };
  }

  #isFailing(options: WorkerBreakerOptions, nowMs: number): boolean {
    const { consecutiveFailureThreshold, failurePercent, minSamples, windowMs } = options;
    const row = this.#state.kind === 'closed' ? this.#state.failuresInARow : 0;
    if (row >= thresholdNumber(consecutiveFailureThreshold)) return true;
    const failures = this.#failures.countAfter(nowMs - windowMs);
    const calls = failures + this.#successes.countAfter(nowMs - windowMs);
    if (failures === 0 || calls < minSamples) return false;
    return comparePercent(failures, calls, failurePercent) >= 0;
  }

  #settleProbe(options: WorkerBreakerOptions, end: BreakerEnd['end'], nowMs: number): void {
    switch (end) {
      case 'success':
        this.#become(closed);
        return;
      case 'failure':
        this.#open(cooldownFrom(options, nowMs));
        return;
      case 'neutral':
        this.#open({ rejectionsLeft: 0, untilMs: nowMs }); // the next call is the probe in its place
        return;
      default:
        assertNever(end);
    }
  }

  #open(cooldown: Cooldown): void {
    this.#become({ kind: 'open', ...cooldown });
    this.#successes.clear();
    this.#failures.clear();
  }

  #become(state: State): void {
    this.#generation += 1;
    this.#state = state;
  }
}

function cooldownFrom(options: WorkerBreakerOptions, nowMs: number): Cooldown {
  return { rejectionsLeft: options.halfOpenAfterCalls, untilMs: nowMs + options.openForMs };
}

function checkOptions(options: WorkerBreakerOptions): void {
  throwFaults([
    ...faultsOf('consecutiveFailureThreshold', options.consecutiveFailureThreshold, thresholdRule),
    ...faultsOf('failurePercent', options.failurePercent, rules.nonNegativeNumber),
    ...faultsOf('minSamples', options.minSamples, rules.positiveInteger),
    ...faultsOf('windowMs', options.windowMs, rules.positiveNumber),
    ...faultsOf('halfOpenAfterCalls', options.halfOpenAfterCalls, rules.positiveInteger),
    ...faultsOf('openForMs', options.openForMs, rules.nonNegativeNumber),
  ]);
}
