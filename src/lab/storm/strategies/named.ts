import { policyDefaults } from '../../../contract/policy.js';
import {
  failureShareAllowance,
  fleetAllowance,
  ratioAllowance,
  tokenBucketAllowance,
} from './allowances.js';
import { countingGuard, workerGuard } from './guards.js';
import type { Strategy } from './strategy.js';
import { backoffWaits, equalJitterWaits, fixedJitterWaits, fixedWaits } from './waits.js';

type Named = {
  /** What it does, in words. */
  readonly text: string;
  /** Makes it anew for a run; `attempts` is the bound where it has none of its own. */
  readonly create: (attempts: number) => Strategy;
};

const { backoff, ratio, breaker, workerBreaker, maxAttempts } = policyDefaults;
const full = backoffWaits(backoff, 'full');
const counting = {
  failureThreshold: breaker.consecutiveFailureThreshold,
  halfOpenAfterCalls: breaker.halfOpenAfterCalls,
  probeAfterMs: breaker.probeAfterMs,
};

const waits = (text: string, waitMs: Strategy['waitMs']): Named => ({
  text,
  create: (attempts) => ({ maxAttempts: attempts, waitMs }),
});

/** The strategies by name, with the figures that holdfast's policies have where nobody gives others. */
export const strategies = {
  fixed: waits('always the same wait', fixedWaits(backoff.baseMs)),
  'fixed-jitter': waits(
    'the same wait and up to half of it more',
    fixedJitterWaits(backoff.baseMs),
  ),
  none: waits('waits that double, without jitter', backoffWaits(backoff, 'none')),
  full: waits('waits that double, with full jitter', full),
  decorrelated: waits('waits drawn from the wait before', backoffWaits(backoff, 'decorrelated')),
  ratio: {
    text: 'full jitter, and retries at most a tenth of a client’s calls',
    create: (attempts) => ({
      maxAttempts: attempts,
      waitMs: full,
      allowance: ratioAllowance(ratio),
    }),
  },
  bounded: {
    text: 'full jitter, at most three attempts, and a tenth of a client’s calls',
    create: () => ({ maxAttempts, waitMs: full, allowance: ratioAllowance(ratio) }),
  },
  fleet: {
    text: 'bounded, with one window of calls for all clients',
    create: () => ({ maxAttempts, waitMs: full, allowance: fleetAllowance(ratio) }),
  },
  breaker: {
    text: 'bounded, with a counting breaker for each client',
    create: () => ({
      maxAttempts,
      waitMs: full,
      allowance: ratioAllowance(ratio),
      guard: countingGuard(counting),
    }),
  },
  'worker-breaker': {
    text: 'bounded, with a worker’s breaker for each client',
    create: () => ({
      maxAttempts,
      waitMs: full,
      allowance: ratioAllowance(ratio),
      guard: workerGuard(workerBreaker),
    }),
  },
  'no-wait': waits('no wait at all', fixedWaits(0)),
  equal: waits('half of what doubles, and a share of the other half', equalJitterWaits(backoff)),
  'token-bucket': {
    text: 'full jitter, and a bucket of five retries for each client',
    create: (attempts) => ({
      maxAttempts: attempts,
      waitMs: full,
      allowance: tokenBucketAllowance({ size: 5, perCall: 0.1 }),
    }),
  },
  'failure-share': {
    text: 'full jitter, and none once a tenth of a client’s calls have failed',
    create: (attempts) => ({
      maxAttempts: attempts,
      waitMs: full,
      allowance: failureShareAllowance(0.1),
    }),
  },
} as const satisfies Readonly<Record<string, Named>>;

/** The name of a strategy. */
export type StrategyName = keyof typeof strategies;

/** The names, in the order in which they are shown. */
export const strategyNames = Object.keys(strategies) as readonly StrategyName[]; // the keys of what stands above
