import { backoffDefaults, modelBackoffDefaults } from '../budget/backoff.js';
import { breakerDefaults } from '../budget/breaker-options.js';
import { planPolicyDefaults } from '../budget/plan.js';
import type { Effect } from './effect.js';
import type { Estimate } from './governed-tool.js';

/** `on` governs; `observe` counts and logs what it would do; `off` passes everything through. */
export type Mode = 'on' | 'observe' | 'off';

/** How long to wait before a retry. */
export type BackoffPolicy = {
  /** @default 200 */
  readonly baseMs: number;
  /** @default 3000 */
  readonly capMs: number;
  /** @default 'full' */
  readonly jitter: 'full' | 'decorrelated' | 'none';
};

/** When the breaker of a downstream opens and probes. */
export type BreakerPolicy = {
  /** Failures in a row that open it; "Infinity" never. @default 3 */
  readonly consecutiveFailureThreshold: number | 'Infinity';
  /** Calls rejected before the one probe. @default 3 */
  readonly halfOpenAfterCalls: number;
  /** Milliseconds after which it probes however few calls came. @default 30000 */
  readonly probeAfterMs: number;
};

/** When the breaker that a worker keeps for a downstream opens and probes, for all its runs together. */
export type WorkerBreakerPolicy = {
  /** Failures in a row that open it; "Infinity" never. @default 5 */
  readonly consecutiveFailureThreshold: number | 'Infinity';
  /** Percent of the window's calls that open it when they fail. @default 20 */
  readonly failurePercent: number;
  /** Calls in the window below which that percentage isn't looked at. @default 50 */
  readonly minSamples: number;
  /** @default 10000 */
  readonly windowMs: number;
  /** Calls rejected before the one probe. @default 3 */
  readonly halfOpenAfterCalls: number;
  /** Milliseconds that it stays open at least. @default 30000 */
  readonly openForMs: number;
};

/** Retries as a share of a downstream's calls in a sliding window, of the fleet or of one worker. */
export type RatioPolicy = {
  /** @default 10 */
  readonly percent: number;
  /** @default 10000 */
  readonly windowMs: number;
  /** Calls in the window below which it isn't enforced. @default 100 */
  readonly minSamples: number;
};

/** What a downstream may be sent. Without a figure there is no limit. */
export type LimitsPolicy = {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly maxConcurrent?: number;
  /** Spread admissions evenly. @default false */
  readonly pace?: boolean;
};

/** What failed attempts may cost in tokens. */
export type TokensPolicy = {
  /** Tokens that a run is expected to need. @default 10000 */
  readonly target: number;
  /** Share of the target that failed attempts may use. @default 10 */
  readonly retryPercent: number;
};

/** How often lost or stopped workers are forgiven. */
export type InterruptionsPolicy = {
  /** @default 15 */
  readonly perRun: number;
  /** @default 3 */
  readonly perCall: number;
};

/** What undoing may cost: a budget apart from the run's own. */
export type CompensationPolicy = {
  /** Retries of all undo calls together. @default 10 */
  readonly globalRetryBudget: number;
  /** Milliseconds that undoing may take. @default 600000 */
  readonly deadlineMs: number;
};

/** What may differ by downstream, tool and tenant. */
export type CallPolicy = {
  /** Attempts of one call, the first included. @default 3 */
  readonly maxAttempts: number;
  readonly backoff: BackoffPolicy;
  /** The longest hint of a downstream that is waited for, in milliseconds. @default 60000 */
  readonly hintCapMs: number;
  /**
   * A write of which nobody knows whether it happened: `return` hands the outcome `unknown` to the caller,
   * `wait` waits for the update `holdfast.settle`, until the deadline. @default 'return'
   */
  readonly onUnknown: 'return' | 'wait';
  /** Who may approve, settle and answer, as `by` names them; "anyone" is not asked who. @default 'anyone' */
  readonly deciders: 'anyone' | readonly string[];
};

/** What holds for a run as a whole. */
export type RunPolicy = {
  /** A label for logs and reports. @default '1' */
  readonly version: string;
  /** @default 'on' */
  readonly mode: Mode;
  /** Retries that a run may take in all. @default 3 */
  readonly globalRetryBudget: number;
  /** @default 'absolute-gain' */
  readonly objective: 'absolute-gain' | 'chain-success';
  /** Milliseconds that a run may take. @default 600000 */
  readonly deadlineMs: number;
  readonly tokens: TokensPolicy;
  readonly interruptions: InterruptionsPolicy;
  readonly compensation: CompensationPolicy;
  /** Bytes that the arguments of a call, and its result, may have as JSON. @default 1900000 */
  readonly maxPayloadBytes: number;
};

/** What may differ by downstream. */
export type DownstreamPolicy = CallPolicy & {
  readonly breaker: BreakerPolicy;
  readonly workerBreaker: WorkerBreakerPolicy;
  readonly ratio: RatioPolicy;
  readonly limits: LimitsPolicy;
};

/** What a policy says of an activity that has no tool contract. */
export type ActivityPolicy = {
  readonly downstream?: string;
  /** @default 'read' */
  readonly effect?: Effect;
  readonly estimate?: Partial<Estimate>;
  readonly expectedCalls?: number;
  readonly required?: boolean;
};

type Layer<T> = {
  readonly [K in keyof T]?: T[K] extends readonly unknown[]
    ? T[K]
    : T[K] extends object
      ? Partial<T[K]>
      : T[K];
};

/** The fields that a policy and each of its tenants may set. */
export type PolicyFields = Layer<RunPolicy & DownstreamPolicy>;

/**
 * A policy as a user writes it. A later layer wins: defaults, the policy's own fields, the
 * downstream's, the tool's, the tenant's.
 */
export type PolicyInput = PolicyFields & {
  readonly downstreams?: Readonly<Record<string, Layer<DownstreamPolicy>>>;
  readonly tools?: Readonly<Record<string, Layer<CallPolicy> & ActivityPolicy>>;
  readonly tenants?: Readonly<Record<string, PolicyFields>>;
};

/** What holds where a policy says nothing (spec: planner, breaker, backoff, budgets). Released: never edited. */
export const policyDefaults: RunPolicy & DownstreamPolicy = {
  version: '1',
  mode: 'on',
  globalRetryBudget: planPolicyDefaults.globalRetryBudget,
  objective: planPolicyDefaults.objective,
  maxAttempts: 3,
  deadlineMs: 600_000,
  backoff: backoffDefaults,
  hintCapMs: 60_000,
  onUnknown: 'return',
  deciders: 'anyone',
  breaker: {
    consecutiveFailureThreshold: breakerDefaults.failureThreshold,
    halfOpenAfterCalls: breakerDefaults.halfOpenAfterCalls,
    probeAfterMs: breakerDefaults.probeAfterMs,
  },
  workerBreaker: {
    consecutiveFailureThreshold: 5,
    failurePercent: 20,
    minSamples: 50,
    windowMs: 10_000,
    halfOpenAfterCalls: 3,
    openForMs: 30_000,
  },
  ratio: { percent: 10, windowMs: 10_000, minSamples: 100 },
  limits: {},
  tokens: { target: 10_000, retryPercent: 10 },
  interruptions: { perRun: 15, perCall: 3 },
  compensation: { globalRetryBudget: 10, deadlineMs: 600_000 },
  // Temporal's server refuses a payload of 2 MiB by failing the workflow's task, again and again.
  maxPayloadBytes: 1_900_000,
};

/** What suits a downstream that is a model: longer waits. Spread it into `downstreams`. */
export const modelDownstream = {
  backoff: modelBackoffDefaults,
} as const satisfies Layer<DownstreamPolicy>;

/** Milliseconds that one attempt at a model may take, for a tool's `attemptTimeoutMs`. */
export const MODEL_ATTEMPT_TIMEOUT_MS = 90_000;
