import type { Threshold } from './threshold.js';

/** One step of a chain: what it costs, how often it fails, how often it may be retried. */
export type PlanNode = {
  /** Not blank, and unique in its chain. */
  readonly id: string;
  /** Probability that an attempt fails, in [0, 1). */
  readonly failureRate: number;
  /** Price of one attempt in millionths of a currency unit, an integer of at least 0. */
  readonly attemptCostMicros: number;
  /** Time of one attempt in milliseconds, at least 0. */
  readonly latencyMs: number;
  /** Retries that the node allows by itself, an integer of at least 0. */
  readonly maxRetries: number;
  /** Whether the chain fails when this node fails. */
  readonly required: boolean;
  /**
   * Probability that each retry fails, in [0, 1), where attempts are not independent: at least
   * `maxRetries` rates, none lower than the one before.
   * @default every retry fails at `failureRate`
   */
  readonly retryFailureRates?: readonly number[];
};

/**
 * What the planner maximises: `absolute-gain` takes the retry that rescues the largest share of
 * its own node's calls; `chain-success` takes the one that lifts the product over the chain the
 * most, which is optimal for that product.
 */
export type PlanObjective = 'absolute-gain' | 'chain-success';

/** The budget of a chain and the limits that its breakers set. */
export type PlanPolicy = {
  /** Retries for the whole chain, an integer of at least 0. */
  readonly globalRetryBudget: number;
  /** Failures in a row that open a downstream's breaker; no node retries past this point. */
  readonly consecutiveFailureThreshold: Threshold;
  /** Calls that an open breaker rejects before it probes, an integer of at least 1. */
  readonly halfOpenAfterCalls: number;
  /** @default 'absolute-gain' */
  readonly objective?: PlanObjective;
};

/** The policy where nobody gives another. */
export const planPolicyDefaults = {
  globalRetryBudget: 3,
  consecutiveFailureThreshold: 3,
  halfOpenAfterCalls: 3,
  objective: 'absolute-gain',
} as const satisfies PlanPolicy;

/** What the plan gives to one node, and what is to be expected of it then. */
export type Allocation = {
  readonly nodeId: string;
  readonly retries: number;
  readonly retryCap: number;
  /** Probability that the first attempt and all retries fail, 8 decimals. */
  readonly effectiveFailureRate: number;
  /** Mean attempts for each run of the node, 6 decimals. */
  readonly expectedAttempts: number;
  /** Probability that one attempt succeeds in the end, 8 decimals. */
  readonly successProbability: number;
  /** Mean price in millionths of a currency unit, an integer. */
  readonly expectedCostMicros: number;
};

/** Where a budget of retries goes, and what the chain does then. */
export type Plan = {
  /** One for each node, in the order of the nodes. */
  readonly allocations: readonly Allocation[];
  readonly retriesUsed: number;
  /** Probability that every required node succeeds, 8 decimals; 1 where none is required. */
  readonly chainSuccess: number;
  readonly expectedCostMicros: number;
  /** Price of one successful chain, an integer; Infinity where success is impossible. */
  readonly costPerSuccessMicros: number;
  /** Mean time of the nodes one after another, without backoff, in whole milliseconds. */
  readonly expectedLatencyMs: number;
  /** Mean attempts for each node, 4 decimals: 1 means that nothing is retried. */
  readonly retryAmplification: number;
  /** Probability that at least one optional node fails, 8 decimals. */
  readonly partialProbability: number;
  /** Nodes whose breaker allows fewer retries than they do themselves. */
  readonly breakerCapped: readonly string[];
};

/** The most that a chain can cost when everything fails that can. */
export type WorstCase = {
  readonly maxAttempts: number;
  readonly maxCostMicros: number;
  /** Highest cost over the cost of one attempt for each node, 4 decimals; 0 where that is 0. */
  readonly amplification: number;
};
