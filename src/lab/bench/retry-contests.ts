import { TokenBucket } from 'limiter';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createRetryBudget } from '../../limits/create-retry-budget.js';
import { createMemoryFleetStore } from '../../limits/memory-fleet-store.js';
import type { RetryBudget } from '../../limits/retry-budget.js';
import type { Contest, Contestant } from './decision-contests.js';

const MANY = 1_000_000_000;
const ratio = { percent: 100, windowMs: 10_000, minSamples: 100 };
const none = { ...ratio, percent: 0, minSamples: 0 };

/**
 * Returns the decisions about a retry that are measured. The others are limiters that a retry budget can be made of:
 * they count tokens, and no calls.
 */
export function retryContests(): readonly Contest[] {
  const shared = () => createRetryBudget({ store: createMemoryFleetStore() });
  return [
    {
      name: 'call counted, retry allowed',
      contestants: [
        holdfast('holdfast', createRetryBudget(), ratio),
        holdfast('holdfast in a fleet', shared(), ratio),
        tokenBucket(MANY),
        flexible(MANY),
      ],
    },
    {
      name: 'call counted, retry refused',
      contestants: [
        holdfast('holdfast', createRetryBudget(), none),
        holdfast('holdfast in a fleet', shared(), none),
        tokenBucket(0),
        flexible(0),
      ],
    },
  ];
}

function holdfast(name: string, budget: RetryBudget, figures: typeof ratio): Contestant {
  const key = { downstream: 'orders', ratio: figures };
  return {
    name,
    decide: async () => {
      budget.callSent(key);
      await budget.decide(key, { dueInMs: 0 });
    },
  };
}

function tokenBucket(tokens: number): Contestant {
  const bucket = new TokenBucket({ bucketSize: MANY, tokensPerInterval: 1, interval: 'hour' });
  bucket.content = tokens;
  return {
    name: 'limiter',
    decide: async () => {
      bucket.tryRemoveTokens(1);
    },
  };
}

function flexible(points: number): Contestant {
  const limiter = new RateLimiterMemory({ points, duration: 10 });
  return {
    name: 'rate-limiter-flexible',
    decide: () =>
      limiter.consume('orders').then(
        () => {},
        () => {}, // refused
      ),
  };
}
