import { attemptEnds } from '../budget/attempt-ends.js';
import type { ErrorClass } from '../budget/classify-types.js';
import type { Sums } from '../contract/call-header.js';

/** What an attempt used: tokens, and what they cost in millionths of a currency unit; null where no price is known. */
export type Usage = { readonly tokens: number; readonly costMicros: number | null };

/** Nothing was used. */
export const noUsage: Usage = { tokens: 0, costMicros: 0 };

/** What an attempt has used so far, and what it will have used if nobody ever says. */
export type AttemptUse = { readonly usage: Usage; readonly expected: () => Usage };

/** Returns both usages together. */
export function plusUsage(one: Usage, other: Usage): Usage {
  const isPriced = one.costMicros !== null && other.costMicros !== null;
  return {
    tokens: one.tokens + wholeTokens(other.tokens),
    costMicros: isPriced ? one.costMicros + other.costMicros : null,
  };
}

/** Returns what a failed attempt has wasted (spec, section 5: the column of tokens). */
export function wastedBy(end: ErrorClass, { usage, expected }: AttemptUse): Usage {
  switch (attemptEnds[end].tokens) {
    case 'none':
      return noUsage;
    case 'estimate':
      return usage.tokens > 0 ? usage : expected();
    default:
      return usage;
  }
}

/** Adds what a failed attempt has wasted to the sums of its call. */
export function withWaste(sums: Sums, { tokens, costMicros }: Usage): Sums {
  const { tokensWasted, costWasted = 0, unpriced = 0 } = sums;
  return {
    ...sums,
    tokensWasted: tokensWasted + tokens,
    ...(costMicros === null ? { unpriced: unpriced + 1 } : {}),
    ...(costMicros ? { costWasted: costWasted + costMicros } : {}),
  };
}

/** A usage that a model left out is no reason to fail an answer, nor to spoil the sum. */
function wholeTokens(tokens: number): number {
  return Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}
