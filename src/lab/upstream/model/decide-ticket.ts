import { findAmounts, findShare } from './amounts.js';
import { intentOf } from './classify-ticket.js';
import type { KnownOrder, TicketMessage } from './ticket-message.js';
import { findOrderId, readSignals, refundSentences, type TicketSignals } from './ticket-signals.js';

/** The model's answer to `task: decide`. */
export type TicketDecision =
  | { readonly action: 'refund'; readonly amountCents: number; readonly reason: string }
  | { readonly action: 'answer' | 'escalate'; readonly reason: string };

/** Above this a person decides; cents. */
const highestRefundCents = 20_000;

/**
 * Returns what to do about a ticket: pay back, answer, or hand it to a person.
 * @param highestCents a larger refund is handed to a person; Infinity where the refund's tool asks one
 */
export function decideTicket(
  message: TicketMessage,
  highestCents: number = highestRefundCents,
): TicketDecision {
  const signals = readSignals(message.text);
  if (signals.isInjection) return escalate('The message tries to give instructions.');
  const intent = intentOf(signals);
  if (intent === 'impossible') return answer('What is asked for cannot be done.');
  if (intent === 'refund') return decideRefund(message, { signals, highestCents });
  if (signals.threatens) return escalate('The customer announces legal steps.');
  if (intent === 'complaint') return escalate('A complaint that names no remedy.');
  if (intent === 'other') return answer('The message asks for nothing that could be done.');
  return answer('A question that the order or the shop rules answer.');
}

function decideRefund(
  message: TicketMessage,
  rules: { readonly signals: TicketSignals; readonly highestCents: number },
): TicketDecision {
  const { signals, highestCents } = rules;
  const { text, order } = message;
  if (order === null || (order === undefined && findAmounts(text).length === 0)) {
    return findOrderId(text) === null
      ? answer('A refund needs an order number, and the message names none.')
      : escalate('The order that the message names was not found.');
  }
  if (signals.chargedTwice && order !== undefined && order.chargeCount < 2) {
    return escalate('The order shows one charge, the customer sees two.');
  }
  const amountCents = amountAsked({ text: refundSentences(text), order, signals });
  if (order && amountCents > order.totalCents) {
    return escalate('The amount asked for is more than the order cost.');
  }
  if (amountCents > highestCents) return escalate('The amount needs a person to approve it.');
  return { action: 'refund', amountCents, reason: reasonOf(signals) };
}

/** A share of the price, else in a partial refund the smallest amount named, else the whole. */
function amountAsked(facts: {
  readonly text: string;
  readonly order: KnownOrder | undefined;
  readonly signals: TicketSignals;
}): number {
  const { text, order, signals } = facts;
  const amounts = findAmounts(text);
  const total = order?.totalCents ?? Math.max(...amounts);
  if (signals.chargedTwice) return total;
  const exceeding = amounts.find((amount) => amount > total);
  if (exceeding !== undefined) return exceeding;
  if (!signals.isPartial) return total;
  const share = findShare(text);
  if (share !== undefined) return Math.max(1, Math.round(total * share));
  return amounts.length > 0 ? Math.min(...amounts) : total;
}

function reasonOf(signals: TicketSignals): string {
  if (signals.chargedTwice) return 'The order was charged twice.';
  if (signals.isDamaged) return 'Goods arrived damaged, wrong or incomplete.';
  return signals.isPartial
    ? 'A part of the price is paid back.'
    : 'The customer returns the order.';
}

function answer(reason: string): TicketDecision {
  return { action: 'answer', reason };
}

function escalate(reason: string): TicketDecision {
  return { action: 'escalate', reason };
}
