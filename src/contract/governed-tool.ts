import type { Effect } from './effect.js';

/** What the planner assumes of one attempt until measurements say better. */
export type Estimate = {
  /** Share of attempts that fail, in [0, 1). @default 0.02 */
  readonly failureRate: number;
  /** Price of one attempt in millionths of a currency unit. @default 0 */
  readonly attemptCostMicros: number;
  /** Duration of one attempt in milliseconds. @default 0 */
  readonly latencyMs: number;
};

/** What the gate knows of a tool: its contract without schemas, so that the gate needs no zod. */
export type GovernedTool = {
  readonly name: string;
  readonly downstream: string;
  readonly effect: Effect;
  readonly estimate: Estimate;
  /** Retries that one call may take at most. */
  readonly maxRetries: number;
  /** Calls that a run without a chain is expected to make. */
  readonly expectedCalls: number;
  /** Whether the run needs this tool: required work is served before optional work. */
  readonly required: boolean;
  /** What the tool names as other ways to the same end. */
  readonly alternatives: readonly string[];
  /** Milliseconds in which the downstream remembers an idempotency key, from the first request on. */
  readonly keyWindowMs: number;
  /** Whether a model that calls this read again with equal identity gets a new answer. */
  readonly fresh: boolean;
  /** The configured model that a model call asks: one activity type serves several. */
  readonly model?: string | undefined;
};

/**
 * Returns the name by which a run tells its tools apart: a model's own, since all models are one activity type, else
 * the tool's.
 */
export function callName({ name, model }: Pick<GovernedTool, 'name' | 'model'>): string {
  return model ?? name;
}

/** What holds where a tool says nothing. */
export const toolDefaults = {
  estimate: { failureRate: 0.02, attemptCostMicros: 0, latencyMs: 0 },
  maxRetries: 2,
  expectedCalls: 1,
  attemptTimeoutMs: 10_000,
  keyWindowMs: 86_400_000,
  fresh: false,
} as const;
