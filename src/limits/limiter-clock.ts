/** The time by which a limiter in memory goes: one that never steps back. */
export type LimiterClock = {
  /** Milliseconds since some moment. */
  readonly now: () => number;
  /** Runs something later; returns what cancels it. */
  readonly setTimer: (run: () => void, delayMs: number) => () => void;
};

/** A timer of Node's takes no longer delay. */
const longestDelayMs = 2_147_483_647;

/** The process's monotonic clock: it doesn't follow when somebody sets the machine's time. */
export const monotonicClock: LimiterClock = {
  now: () => performance.now(),
  setTimer: (run, delayMs) => {
    const timer = setTimeout(run, Math.min(Math.ceil(delayMs), longestDelayMs));
    return () => clearTimeout(timer);
  },
};
