import Bottleneck from 'bottleneck';
import { RateLimiter } from 'limiter';
import { RateLimiterMemory, RateLimiterQueue } from 'rate-limiter-flexible';
import { createMemoryLimiter, type LimitFigures } from '../../limits/index.js';

/** One library's limiter in memory. */
export type LimiterContestant = {
  readonly name: string;
  /** Waits until it is admitted. */
  readonly admit: () => Promise<unknown>;
  readonly close: () => Promise<unknown>;
};

const key = { downstream: 'model' };
const never = 1_000_000_000;
const nothing = async (): Promise<void> => {};

/** Returns limiters whose limit is never reached: each request is admitted at once. */
export function openFreeLimiters(): readonly LimiterContestant[] {
  const limiter = new RateLimiter({ tokensPerInterval: never, interval: 'minute' });
  const flexible = new RateLimiterMemory({ points: never, duration: 60 });
  return [
    holdfast({ requestsPerMinute: never }),
    { name: 'limiter', admit: () => limiter.removeTokens(1), close: nothing },
    { name: 'rate-limiter-flexible', admit: () => flexible.consume('model'), close: nothing },
    bottleneck(new Bottleneck({ reservoir: never })),
  ];
}

/** Returns limiters that admit 1,000 requests a second. */
export function openPacedLimiters(): readonly LimiterContestant[] {
  const limiter = new RateLimiter({ tokensPerInterval: 1, interval: 1 });
  const second = new RateLimiterMemory({ points: 1_000, duration: 1 });
  const queue = new RateLimiterQueue(second, { maxQueueSize: never });
  return [
    holdfast({ requestsPerMinute: 60_000, pace: true }),
    { name: 'limiter', admit: () => limiter.removeTokens(1), close: nothing },
    { name: 'rate-limiter-flexible', admit: () => queue.removeTokens(1), close: nothing },
    bottleneck(new Bottleneck({ minTime: 1 })),
  ];
}

function holdfast(figures: LimitFigures): LimiterContestant {
  const limiter = createMemoryLimiter();
  const maxWaitMs = 600_000;
  return {
    name: 'holdfast',
    admit: () => limiter.admit({ key, figures, tokens: 500, maxWaitMs }),
    close: () => limiter.close(),
  };
}

function bottleneck(limiter: Bottleneck): LimiterContestant {
  return {
    name: 'bottleneck',
    admit: () => limiter.schedule(nothing),
    close: () => limiter.disconnect(),
  };
}
