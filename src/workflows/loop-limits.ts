import type { LoopLimit } from '../contract/loop.js';
import type { ResolvedLimits } from './loop-options.js';
import type { LoopState } from './loop-state.js';

/**
 * Returns the limit for which a loop has to give its last answer; undefined where it may go on. What another answer
 * would use is taken to be what the last one did, and one more is kept for the last answer.
 */
export function reachedLimit(
  { turns, tokens, cost, lastTokens, lastCost, lastAnswerMs }: LoopState,
  { maxTurns, maxTokens, maxCostMicros }: ResolvedLimits,
  timeLeftMs: number,
): LoopLimit | undefined {
  if (turns + 1 >= maxTurns) return 'turns';
  if (timeLeftMs <= lastAnswerMs) return 'deadline';
  if (maxTokens !== undefined && tokens + 2 * lastTokens > maxTokens) return 'tokens';
  if (maxCostMicros !== undefined && cost + 2 * lastCost > maxCostMicros) return 'cost';
  return undefined;
}

/** Tells whether there is nothing left for a last answer: not even one that costs what the last one did. */
export function isSpent(
  { tokens, cost }: LoopState,
  { maxTokens, maxCostMicros }: ResolvedLimits,
  timeLeftMs: number,
): boolean {
  if (timeLeftMs < 1) return true;
  if (maxTokens !== undefined && tokens >= maxTokens) return true;
  return maxCostMicros !== undefined && cost >= maxCostMicros;
}
