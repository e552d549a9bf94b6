import type { Context } from '@temporalio/activity';
import { LimiterUnavailableError } from '../limits/limit-errors.js';
import type { Admission, AdmissionRequest, Limiter } from '../limits/limiter.js';

type Log = Context['log'];

/** A limiter whose outages are said once each. */
export type LimiterWatch = {
  /** As the limiter's own. */
  readonly admit: (request: AdmissionRequest, log: Log) => Promise<Admission>;
  /** Tells the limiter what became of a reservation. Nobody waits for it, and an outage costs nothing but the room. */
  readonly tell: (write: () => Promise<void>, log: Log) => void;
};

/** Watches a limiter. */
export function watchLimiter(limiter: Limiter): LimiterWatch {
  let isOut = false;
  const watched = async <T>(ask: () => Promise<T>, log: Log): Promise<T> => {
    try {
      const answer = await ask();
      if (isOut) log.info('The limiter answers again: its limits hold.');
      isOut = false;
      return answer;
    } catch (error) {
      if (error instanceof LimiterUnavailableError && !isOut) {
        isOut = true;
        log.warn(`${error.message} Until it answers, calls are sent without its limits.`);
      }
      throw error;
    }
  };
  return {
    admit: (request, log) => watched(() => limiter.admit(request), log),
    tell: (write, log) => {
      // Its window passes by itself: the answer, or the failure, of the attempt doesn't wait for the store.
      void watched(write, log).catch((error: unknown) => {
        if (error instanceof LimiterUnavailableError) return;
        log.warn(`The limiter refused a reservation's end: ${String(error)}`);
      });
    },
  };
}
