import type { GovernedTool } from '../contract/governed-tool.js';
import { isPlainObject } from '../contract/json.js';
import { runSettingsOf, stateOf } from './call-plan.js';
import type { RunContext } from './run-context.js';
import { promisedTokens } from './slices.js';

/** A call that asks what its failed attempts may use. */
export type AllowanceRequest = {
  readonly tool: GovernedTool;
  /** Retries that the plan gives it. */
  readonly share: number;
  readonly input: unknown;
};

/** What a call may retry with. */
export type Allowance = {
  /** Retries that it has. */
  readonly share: number;
  /** Tokens that its failed attempts may use. */
  readonly tokensLeft: number;
  /** True where it has no retry because the run's tokens are used up. */
  readonly isOutOfTokens: boolean;
};

/**
 * Returns the tokens that failed attempts of a run may still use, and that nobody keeps for himself: neither a model's
 * call that runs, nor a child by its slice.
 */
export function tokensLeftOf(run: RunContext): number {
  return Math.max(0, unusedTokens(run) - promisedTokens(stateOf(run)) - keptTokens(run));
}

/**
 * Returns what failed attempts of a call may use of the run's tokens (spec, section 6.5). A model's call keeps that for
 * itself until it ends: calls in parallel can't each use the whole. It keeps what its retries use at most, where its
 * input says how long an answer may be, else all that is left. Once everything is used, no model is asked again.
 */
export function tokenAllowance(
  run: RunContext,
  { tool, share, input }: AllowanceRequest,
): Allowance {
  const left = tokensLeftOf(run);
  if (tool.model === undefined) return { share, tokensLeft: left, isOutOfTokens: false };
  if (share === 0) return { share, tokensLeft: 0, isOutOfTokens: false };
  if (unusedTokens(run) <= 0) return { share: 0, tokensLeft: 0, isOutOfTokens: true };
  const tokensLeft = Math.min(left, share * mostTokens(input));
  return { share, tokensLeft, isOutOfTokens: false };
}

/** A share of what the run is expected to need, without what its failed attempts have used. */
function unusedTokens(run: RunContext): number {
  const { target, retryPercent } = runSettingsOf(run).tokens;
  return (target * retryPercent) / 100 - stateOf(run).tokens.wasted;
}

function keptTokens({ open }: RunContext): number {
  return [...open.values()]
    .filter(({ tool }) => tool.model !== undefined)
    .reduce((sum, { tokensLeft = 0 }) => sum + tokensLeft, 0);
}

/** A character is a token at most, but for rare ones; of what stands in a store only the worker knows the length. */
function mostTokens(input: unknown): number {
  if (!isPlainObject(input) || input.conversation !== undefined) return Number.POSITIVE_INFINITY;
  const { maxOutputTokens } = input;
  if (typeof maxOutputTokens !== 'number') return Number.POSITIVE_INFINITY;
  return JSON.stringify(input).length + maxOutputTokens;
}
