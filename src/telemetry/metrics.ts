/** What a metric is called, counts and is told apart by. */
export type Metric = {
  /** `up-down` is shown as a gauge: it is the sum of what workers add and take away. */
  readonly kind: 'counter' | 'histogram' | 'gauge' | 'up-down';
  /** What it counts in; stands in the name as well. */
  readonly unit: string;
  /** Bounded each: tools, downstreams and words of holdfast's own, never ids, tenants or texts. */
  readonly labels: readonly string[];
  readonly description: string;
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
};

const ofTool = ['tool', 'downstream'] as const;

const milliseconds = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 90_000];

/**
 * All metrics (spec, section 11). The names are whole: the exporter's own suffixes stay off, as the SDK has them by
 * default. Workers add the labels `namespace` and `taskQueue`, workflows `workflowType` too.
 */
export const metrics = {
  holdfast_attempts_total: {
    kind: 'counter',
    unit: 'attempts',
    labels: [...ofTool, 'effect', 'end'],
    description: 'Attempts by their end: success, a class of error, or why nothing was sent',
  },
  holdfast_attempt_duration_milliseconds: {
    kind: 'histogram',
    unit: 'milliseconds',
    labels: ofTool,
    description: 'How long attempts took that sent something',
    buckets: milliseconds,
  },
  holdfast_calls_in_flight: {
    kind: 'up-down',
    unit: 'attempts',
    labels: ['downstream'],
    description: 'Attempts at work, each with a request to the downstream',
  },
  holdfast_retries_total: {
    kind: 'counter',
    unit: 'retries',
    labels: [...ofTool, 'class'],
    description: 'Retries decided, by the class of error that they follow',
  },
  holdfast_retries_refused_total: {
    kind: 'counter',
    unit: 'retries',
    labels: [...ofTool, 'reason'],
    description: 'Failed attempts without a retry, by what said no',
  },
  holdfast_worker_breaker_open: {
    kind: 'gauge',
    unit: 'breakers',
    labels: ['downstream'],
    description: "1 while the worker's breaker for the downstream rejects calls, else 0",
  },
  holdfast_worker_breaker_changes_total: {
    kind: 'counter',
    unit: 'changes',
    labels: ['downstream', 'to'],
    description: "Changes of the worker's breaker, by what it became",
  },
  holdfast_limiter_wait_milliseconds: {
    kind: 'histogram',
    unit: 'milliseconds',
    labels: ['downstream'],
    description: "How long attempts held a slot for the downstream's limits",
    buckets: milliseconds,
  },
  holdfast_waits_total: {
    kind: 'counter',
    unit: 'waits',
    labels: [...ofTool, 'what'],
    description: 'Attempts that gave their slot back to come again: limiter, bulkhead, claim …',
  },
  holdfast_ledger_claims_total: {
    kind: 'counter',
    unit: 'claims',
    labels: [...ofTool, 'verdict'],
    description: "The ledger's verdicts on writes: claimed, reclaimed, replayed, in-progress …",
  },
  holdfast_calls_total: {
    kind: 'counter',
    unit: 'calls',
    labels: [...ofTool, 'outcome', 'reason'],
    description: 'Calls by their outcome, before a fallback stood in',
  },
  holdfast_calls_rescued_total: {
    kind: 'counter',
    unit: 'calls',
    labels: ofTool,
    description: 'Calls answered after a retry',
  },
  holdfast_planned_retries_total: {
    kind: 'counter',
    unit: 'retries',
    labels: ofTool,
    description: 'Retries that plans gave to calls',
  },
  holdfast_used_retries_total: {
    kind: 'counter',
    unit: 'retries',
    labels: ofTool,
    description: 'Retries that calls used of those',
  },
  holdfast_interruptions_total: {
    kind: 'counter',
    unit: 'interruptions',
    labels: ofTool,
    description: 'Schedulings lost with their worker, or to its shutdown',
  },
  holdfast_breaker_changes_total: {
    kind: 'counter',
    unit: 'changes',
    labels: ['downstream', 'to'],
    description: "Changes of runs' own breakers, by what they became",
  },
  holdfast_tokens_total: {
    kind: 'counter',
    unit: 'tokens',
    labels: [...ofTool, 'use'],
    description: 'Tokens, useful or wasted by failed attempts',
  },
  holdfast_cost_micros_total: {
    kind: 'counter',
    unit: 'millionths of a currency unit',
    labels: [...ofTool, 'use'],
    description: 'Money, useful or wasted by failed attempts',
  },
  holdfast_ai_fallback_total: {
    kind: 'counter',
    unit: 'answers',
    labels: ['tool', 'to', 'reason'],
    description: 'Answers that something stood in for',
  },
  holdfast_runs_total: {
    kind: 'counter',
    unit: 'runs',
    labels: ['end'],
    description: 'Governed runs that ended: completed, failed or cancelled',
  },
  holdfast_run_retry_token_percent: {
    kind: 'histogram',
    unit: 'percent',
    labels: [],
    description: 'Per run with tokens: the share that failed attempts wasted',
    buckets: [0, 1, 5, 10, 15, 25, 50, 75, 100],
  },
  holdfast_self_inflicted_overloads_total: {
    kind: 'counter',
    unit: 'runs',
    labels: [],
    description: "Runs whose failed attempts wasted more than half of their tenant's token target",
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** The name of a metric. */
export type MetricName = keyof typeof metrics;

/** What tells the values of one metric apart. */
export type Labels<N extends MetricName> = Readonly<
  Record<(typeof metrics)[N]['labels'][number], string>
>;
