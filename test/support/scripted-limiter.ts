import type { AdmissionRequest, Limiter, Reservation } from '../../src/limits/limiter.js';

/** A limiter that answers what a test tells it to. */
export type ScriptedLimiter = Limiter & {
  /** What it was asked, and how its reservations ended, in order. */
  readonly log: string[];
  /** Answers from now on; undefined admits. */
  readonly answer: (next?: (request: AdmissionRequest) => ReturnType<Limiter['admit']>) => void;
};

/** Makes a limiter that admits everything until it is told otherwise. */
export function scriptedLimiter(): ScriptedLimiter {
  const log: string[] = [];
  let own: ((request: AdmissionRequest) => ReturnType<Limiter['admit']>) | undefined;
  const reservation: Reservation = {
    settle: async (tokens) => {
      log.push(`settle ${tokens}`);
    },
    release: async () => {
      log.push('release');
    },
  };
  return {
    kind: 'memory',
    log,
    answer: (next) => {
      own = next;
      log.length = 0;
    },
    admit: async (request) => {
      const { tokens, ticket } = request;
      log.push(ticket === undefined ? `ask ${tokens}` : `ask ${tokens} as ${ticket}`);
      const answer = await own?.(request);
      return answer ?? { kind: 'admitted', reservation };
    },
    close: async () => {},
  };
}
