import { detectLanguage, type Language } from './language.js';
import { findOrderId, readSignals, type TicketSignals } from './ticket-signals.js';

/** What a ticket is about. */
export type Intent = 'refund' | 'question' | 'complaint' | 'impossible' | 'other';

/** The model's answer to `task: classify`. */
export type Classification = {
  readonly intent: Intent;
  readonly language: Language;
  readonly urgency: 'low' | 'normal' | 'high';
  /** The first order that the text names, or null. */
  readonly orderId: string | null;
};

/** Returns what a ticket is about, by rules on its words. */
export function classifyTicket(text: string): Classification {
  const signals = readSignals(text);
  return {
    intent: intentOf(signals),
    language: detectLanguage(text),
    urgency: urgencyOf(signals),
    orderId: findOrderId(text),
  };
}

/** Returns the intent that the signals add up to; what can't be done outranks what is asked. */
export function intentOf(signals: TicketSignals): Intent {
  if (signals.isInjection) return 'other';
  if (signals.isImpossible) return 'impossible';
  if (signals.asksRefund || signals.chargedTwice) return 'refund';
  if (signals.isAngry || signals.isDamaged || signals.threatens) return 'complaint';
  return signals.asks ? 'question' : 'other';
}

function urgencyOf(signals: TicketSignals): Classification['urgency'] {
  if (signals.threatens || signals.isUrgent) return 'high';
  const isPlain = !signals.isAngry && !signals.isDamaged && !signals.chargedTwice;
  return isPlain && !signals.asksRefund ? 'low' : 'normal';
}
