import type { Fault } from './errors.js';
import { rules } from './rules.js';

/** Tokens of one answer of a model. */
export type TokenUsage = {
  readonly inputTokens: number;
  /** Those of the input that the provider had in its cache. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
};

/** What a model costs: millionths of a currency unit per million tokens, whole numbers (3 units are 3,000,000). */
export type ModelPrice = {
  readonly input: number;
  /** Of input that the provider had in its cache. @default as other input */
  readonly cached?: number;
  readonly output: number;
};

/** Prices by the name under which a model is configured. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

const PER_TOKENS = 1_000_000n;

/**
 * Returns what an answer cost in whole millionths of a currency unit, halves rounded up: one rounding per attempt,
 * over its whole sum.
 */
export function costMicros(usage: TokenUsage, price: ModelPrice): number {
  const input = wholeTokens(usage.inputTokens);
  const cached = least(wholeTokens(usage.cachedInputTokens), input);
  const output = wholeTokens(usage.outputTokens);
  const { cached: cachedPrice = price.input } = price;
  // Whole numbers without a limit: a million tokens at a thousand units are past what a number holds exactly.
  const sum =
    (input - cached) * BigInt(price.input) +
    cached * BigInt(cachedPrice) +
    output * BigInt(price.output);
  return Number((sum + PER_TOKENS / 2n) / PER_TOKENS);
}

/** Lists what is wrong with prices. */
export function priceFaults(prices: ModelPrices, field: string): Fault[] {
  const { holds, text } = rules.nonNegativeInteger;
  return Object.entries(prices).flatMap(([model, price]) =>
    Object.entries({ input: price.input, cached: price.cached ?? 0, output: price.output })
      .filter(([, value]) => !holds(value))
      .map(([part, value]) => ({ field: `${field}.${model}.${part}`, rule: text, value })),
  );
}

/** A provider that leaves a figure out, or answers nonsense, makes nothing negative and nothing NaN. */
function wholeTokens(tokens: number): bigint {
  return Number.isFinite(tokens) && tokens > 0 ? BigInt(Math.round(tokens)) : 0n;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
