import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { LimiterClock } from '../../src/limits/limiter-clock.js';

/** A clock that stands still until a test moves it. */
export type ManualClock = LimiterClock & {
  /** Moves the clock and runs each timer at its time; promises go on in between. */
  readonly elapse: (ms: number) => Promise<void>;
  /** Timers that are set. */
  readonly timers: () => number;
};

type Timer = { readonly at: number; readonly run: () => void };

/** Returns a clock that shows 0. */
export function createManualClock(): ManualClock {
  const timers = new Set<Timer>();
  let now = 0;
  const nextUntil = (end: number): Timer | undefined =>
    [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    setTimer: (run, delayMs) => {
      const timer = { at: now + delayMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    elapse: async (ms) => {
      const end = now + ms;
      for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.run();
        await turnOfTheLoop();
      }
      now = end;
    },
    timers: () => timers.size,
  };
}
