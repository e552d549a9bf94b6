import type { LimiterClock } from './limiter-clock.js';

/** One timer that goes off at the earliest time that it was set to. */
export type Alarm = {
  /** Goes off at that time too; infinity changes nothing. */
  readonly setAt: (at: number) => void;
  readonly clear: () => void;
};

/** Returns an alarm that isn't set. */
export function createAlarm(clock: LimiterClock, goOff: () => void): Alarm {
  let setFor = Number.POSITIVE_INFINITY;
  let cancel = (): void => {};
  const clear = (): void => {
    cancel();
    setFor = Number.POSITIVE_INFINITY;
  };
  return {
    setAt: (at) => {
      if (at >= setFor) return;
      cancel();
      setFor = at;
      const run = (): void => {
        setFor = Number.POSITIVE_INFINITY;
        goOff();
      };
      cancel = clock.setTimer(run, Math.max(0, at - clock.now()));
    },
    clear,
  };
}
