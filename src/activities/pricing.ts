import { log } from '@temporalio/activity';
import { costMicros, type ModelPrices, type TokenUsage } from '../budget/prices.js';
import type { Usage } from './attempt-usage.js';

/** The tokens of one answer, and the configured model that gave it. */
export type ModelAnswerUsage = TokenUsage & { readonly model: string };

/** Returns what an answer of a model comes to. */
export type Pricing = (usage: ModelAnswerUsage) => Usage;

/**
 * Makes the pricing of a worker. A model without a price costs null, never nothing, and is warned of once.
 * @param warn says it where the operator reads
 */
export function createPricing(
  prices: ModelPrices,
  warn: (message: string) => void = (message) => log.warn(message),
): Pricing {
  const unknown = new Set<string>();
  return ({ model, ...usage }) => {
    const tokens = usage.inputTokens + usage.outputTokens;
    const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
    if (price !== undefined) return { tokens, costMicros: costMicros(usage, price) };
    if (!unknown.has(model)) warn(withoutPrice(model));
    unknown.add(model);
    return { tokens, costMicros: null };
  };
}

function withoutPrice(model: string): string {
  return `The model ${model} has no price, so what its calls cost isn't known: add it to prices.`;
}
