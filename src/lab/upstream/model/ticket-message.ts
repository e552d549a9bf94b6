import { z } from 'zod';
import { isLanguage, type Language } from './language.js';

/** What the rules take from an order; the rest of an order is not looked at. */
export type KnownOrder = {
  readonly totalCents: number;
  readonly chargeCount: number;
  readonly deliveryState: string | undefined;
};

/** A user's message, read as a ticket with what earlier steps found out. */
export type TicketMessage = {
  /** Subject and body, or the whole message where it is plain text. */
  readonly text: string;
  readonly language: Language | undefined;
  /** undefined: nothing was said about an order; null: it was looked for and is not there. */
  readonly order: KnownOrder | null | undefined;
  readonly decision: KnownDecision | undefined;
};

/** A decision of an earlier step. */
export type KnownDecision = {
  readonly action: 'refund' | 'answer' | 'escalate';
  readonly amountCents: number | undefined;
};

const orderSchema = z.object({
  totalCents: z.number(),
  charges: z.array(z.unknown()).default([]),
  delivery: z.object({ state: z.string() }).optional(),
});

const decisionSchema = z.object({
  action: z.enum(['refund', 'answer', 'escalate']),
  amountCents: z.number().nullish(),
});

/**
 * Reads a message. JSON may carry `subject`, `body`, `language`, `order` and `decision`, at the
 * top or one level down (`ticket`, `classification`); anything else is taken as plain text.
 */
export function readTicketMessage(content: string): TicketMessage {
  const root = parseObject(content);
  if (!root) return { text: content, language: undefined, order: undefined, decision: undefined };
  const layers = [root, ...Object.values(root).filter(isObject)];
  const find = (name: string): unknown =>
    layers.map((layer) => layer[name]).find((value) => value !== undefined);
  const words = [find('subject'), find('body') ?? find('text')].filter(isText);
  const plain = Object.values(root).filter(isText);
  const language = find('language');
  return {
    text: (words.length > 0 ? words : plain).join('\n'),
    language: isLanguage(language) ? language : undefined,
    order: readOrder(find('order')),
    decision: readDecision(find('decision') ?? root),
  };
}

/** Reads an order as a tool gave it; null where it isn't one. */
export function readOrder(value: unknown): KnownOrder | null | undefined {
  if (value === undefined) return undefined;
  const parsed = orderSchema.safeParse(value);
  if (!parsed.success) return null;
  const { totalCents, charges, delivery } = parsed.data;
  return { totalCents, chargeCount: charges.length, deliveryState: delivery?.state };
}

function readDecision(value: unknown): KnownDecision | undefined {
  const parsed = decisionSchema.safeParse(value);
  if (!parsed.success) return undefined;
  return { action: parsed.data.action, amountCents: parsed.data.amountCents ?? undefined };
}

/** Returns the object that a text is as JSON; undefined for any other text. */
export function parseObject(content: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // plain text, which is an answer and no fault
  }
}

/** Returns whether a value is an object and no array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
