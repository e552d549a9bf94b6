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

/** Tokens that failed attempts of a call may use, and the retries that it has with them. */
export type Allowance = { readonly share: number; readonly tokens: number };

/** Returns the tokens that failed attempts of a run may still use: a share of what it is expected to need. */
export function tokensLeftOf(run: RunContext): number {
  const { target, retryPercent } = runSettingsOf(run).tokens;
  const state = stateOf(run);
  return Math.max(0, (target * retryPercent) / 100 - state.tokens.wasted - promisedTokens(state));
}

/** Returns what of that no call in flight keeps for itself. */
export function freeTokensOf(run: RunContext): number {
  return Math.max(0, tokensLeftOf(run) - keptTokens(run));
}

/**
 * Returns what failed attempts of a call may use of the run's tokens (spec, section 6.5). A model's call keeps that for
 * itself until it ends: calls in parallel can't each use the whole. It keeps what its retries use at most, where its
 * input says how long an answer may be, else all that is free. Once everything is used, a model isn't asked again.
 */
export function tokenAllowance(
  run: RunContext,
  { tool, share, input }: AllowanceRequest,
): Allowance {
  const left = tokensLeftOf(run);
  const free = freeTokensOf(run);
  if (tool.model === undefined) return { share, tokens: free };
  if (left === 0 || share === 0) return { share: left === 0 ? 0 : share, tokens: 0 };
  return { share, tokens: Math.min(free, share * mostTokens(input)) };
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
