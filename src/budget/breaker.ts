import { assertNever } from './assert-never.js';
import { type BreakerOptions, checkBreakerOptions } from './breaker-options.js';
import { InvalidRequestError } from './errors.js';
import { thresholdNumber } from './threshold.js';

/**
 * A counting breaker as plain JSON. The generation rises with each change of kind and each
 * forfeited probe: an end that was admitted in an earlier one changes nothing.
 */
export type BreakerState = { readonly generation: number } & (
  | { readonly kind: 'closed'; readonly failuresInARow: number }
  | {
      readonly kind: 'open';
      /** Calls rejected since it opened; the cooldown is over at `halfOpenAfterCalls`. */
      readonly rejected: number;
      /** Epoch milliseconds. */
      readonly openedAt: number;
    }
  | { readonly kind: 'half-open'; readonly rejectedSinceProbe: number }
);

/** A call that a breaker lets through. */
export type Admitted = {
  readonly kind: 'admitted';
  /** Goes with the call and comes back with its end. */
  readonly generation: number;
  /** Whether this is the one call that decides about a breaker that was open. */
  readonly probe: boolean;
};

/** A call that a breaker rejects. */
export type Rejected = {
  readonly kind: 'rejected';
  /** Calls that are still rejected before one may probe. */
  readonly rejectionsLeft: number;
};

/** What a breaker answers to a call; time may let a probe through before so many were rejected. */
export type Admission = Admitted | Rejected;

/** How an attempt ended, for a breaker: neutral ends say nothing about the downstream. */
export type BreakerEnd = {
  /** The generation of the admission. */
  readonly generation: number;
  readonly end: 'success' | 'failure' | 'neutral';
  /** Milliseconds of the clock that the breaker goes by. */
  readonly nowMs: number;
};

/** Returns the state of a breaker that has seen nothing: closed. */
export function initialBreaker(): BreakerState {
  return { generation: 0, kind: 'closed', failuresInARow: 0 };
}

/**
 * Returns the answer to one call, and the state after it. An open breaker rejects
 * `halfOpenAfterCalls` calls (or waits `probeAfterMs`, whichever comes first) and makes the next
 * call the only probe; a probe that hasn't ended after as many further rejections is forfeited,
 * and the next call is the probe in its place. `nowMs` is in epoch milliseconds.
 * Throws `InvalidRequestError` for invalid options.
 */
export function admitCall(
  state: BreakerState,
  options: BreakerOptions,
  nowMs: number,
): { readonly state: BreakerState; readonly admission: Admission } {
  checkBreakerOptions(options);
  checkNow(nowMs);
  switch (state.kind) {
    case 'closed':
      return { state, admission: admitted(state.generation, false) };
    case 'open': {
      if (isCooledDown(state, options, nowMs)) return probe(state);
      const rejected = state.rejected + 1;
      return {
        state: { ...state, rejected },
        admission: rejectedWith(options.halfOpenAfterCalls - rejected),
      };
    }
    case 'half-open': {
      if (state.rejectedSinceProbe >= options.halfOpenAfterCalls) return probe(state);
      const rejectedSinceProbe = state.rejectedSinceProbe + 1;
      return {
        state: { ...state, rejectedSinceProbe },
        admission: rejectedWith(options.halfOpenAfterCalls - rejectedSinceProbe),
      };
    }
    default:
      return assertNever(state);
  }
}

/**
 * Returns the state after an attempt has ended. In closed a failure counts and a success resets the
 * count; the probe's success closes, its failure opens with a fresh cooldown, and a neutral end
 * opens with the cooldown complete, so that the next call probes. An end of another generation
 * changes nothing.
 * Throws `InvalidRequestError` for invalid options.
 */
export function recordEnd(
  state: BreakerState,
  options: BreakerOptions,
  { generation, end, nowMs }: BreakerEnd,
): BreakerState {
  checkBreakerOptions(options);
  checkNow(nowMs);
  if (generation !== state.generation) return state;
  switch (state.kind) {
    case 'closed':
      return countEnd(state, options, { end, nowMs });
    case 'open':
      return state; // nothing is admitted in a generation that begins open
    case 'half-open':
      return settleProbe(state, options, { end, nowMs });
    default:
      return assertNever(state);
  }
}

type End = Omit<BreakerEnd, 'generation'>;
type Closed = Extract<BreakerState, { kind: 'closed' }>;
type HalfOpen = Extract<BreakerState, { kind: 'half-open' }>;

function countEnd(state: Closed, options: BreakerOptions, { end, nowMs }: End): BreakerState {
  if (end === 'neutral') return state;
  if (end === 'success')
    return state.failuresInARow === 0 ? state : { ...state, failuresInARow: 0 };
  const failuresInARow = state.failuresInARow + 1;
  if (failuresInARow < thresholdNumber(options.failureThreshold)) {
    return { ...state, failuresInARow };
  }
  return open(state, { rejected: 0, openedAt: nowMs });
}

function settleProbe(state: HalfOpen, options: BreakerOptions, { end, nowMs }: End): BreakerState {
  switch (end) {
    case 'success':
      return { generation: state.generation + 1, kind: 'closed', failuresInARow: 0 };
    case 'failure':
      return open(state, { rejected: 0, openedAt: nowMs });
    case 'neutral':
      return open(state, { rejected: options.halfOpenAfterCalls, openedAt: nowMs });
    default:
      return assertNever(end);
  }
}

type Cooldown = { readonly rejected: number; readonly openedAt: number };

function isCooledDown(cooldown: Cooldown, options: BreakerOptions, nowMs: number): boolean {
  if (cooldown.rejected >= options.halfOpenAfterCalls) return true;
  return options.probeAfterMs !== undefined && nowMs - cooldown.openedAt >= options.probeAfterMs;
}

function open({ generation }: BreakerState, cooldown: Cooldown): BreakerState {
  return { generation: generation + 1, kind: 'open', ...cooldown };
}

function probe({ generation }: BreakerState): ReturnType<typeof admitCall> {
  const next = generation + 1;
  return {
    state: { generation: next, kind: 'half-open', rejectedSinceProbe: 0 },
    admission: admitted(next, true),
  };
}

function admitted(generation: number, isProbe: boolean): Admission {
  return { kind: 'admitted', generation, probe: isProbe };
}

function rejectedWith(rejectionsLeft: number): Admission {
  return { kind: 'rejected', rejectionsLeft };
}

function checkNow(nowMs: number): void {
  if (Number.isFinite(nowMs)) return;
  throw new InvalidRequestError([
    { field: 'nowMs', rule: 'must be a finite number of milliseconds', value: nowMs },
  ]);
}
