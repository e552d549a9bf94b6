import assert from 'node:assert/strict';
import type {
  Admission,
  AdmissionRequest,
  Limiter,
  LimitFigures,
  Reservation,
} from '../../src/limits/index.js';

/** A limiter with nothing spent yet. */
export type LimiterFixture = {
  readonly limiter: Limiter;
  /** Lets time pass for what is spent and for whoever waits. */
  readonly elapse: (ms: number) => Promise<void>;
  /** Waits until so many places are taken in all queues. */
  readonly queued: (places: number) => Promise<void>;
  readonly dispose: () => Promise<void>;
};

/** Opens a limiter of a test's own. */
export type OpenLimiterFixture = () => Promise<LimiterFixture>;

/** Returns a test's function, which gets a limiter of its own that goes when it ends. */
export function withLimiter(
  open: OpenLimiterFixture,
  run: (fixture: LimiterFixture) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const fixture = await open();
    try {
      await run(fixture);
    } finally {
      await fixture.dispose();
    }
  };
}

/** What is asked for, where a test doesn't say otherwise: one token, and no wait. */
export type Wish = Partial<Omit<AdmissionRequest, 'figures' | 'key'>> & {
  readonly tenant?: string;
};

/** Asks a limiter by its figures. */
export type Asker = {
  readonly ask: (wish?: Wish) => Promise<Admission>;
  /** Asks, and fails where it isn't admitted. */
  readonly admit: (wish?: Wish) => Promise<Reservation>;
  /** Asks, and fails where it isn't told to come back. */
  readonly later: (wish?: Wish) => Promise<{ readonly waitMs: number; readonly ticket: string }>;
  /** Asks and tells which of both came. */
  readonly kind: (wish?: Wish) => Promise<Admission['kind']>;
};

/** Returns what asks for the downstream `model`. */
export function askerOf(
  { limiter }: Pick<LimiterFixture, 'limiter'>,
  figures: LimitFigures,
): Asker {
  const ask = ({ tenant, ...wish }: Wish = {}): Promise<Admission> =>
    limiter.admit({
      tokens: 1,
      maxWaitMs: 0,
      ...wish,
      figures,
      key: { downstream: 'model', tenant },
    });
  return {
    ask,
    admit: async (wish) => {
      const answer = await ask(wish);
      assert.equal(answer.kind, 'admitted');
      return answer.reservation;
    },
    later: async (wish) => {
      const answer = await ask(wish);
      assert.equal(answer.kind, 'later');
      return answer;
    },
    kind: async (wish) => (await ask(wish)).kind,
  };
}

/** A minute, in which the figures hold. */
export const minuteMs = 60_000;

/** Longer than any wait of a test. */
export const patient = { maxWaitMs: 10 * minuteMs };
