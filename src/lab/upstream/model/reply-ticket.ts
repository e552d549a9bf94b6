import { decideTicket } from './decide-ticket.js';
import { detectLanguage } from './language.js';
import { deliveryStates, type Phrases, phrases, theOrder } from './reply-phrases.js';
import type { KnownDecision, TicketMessage } from './ticket-message.js';
import { findOrderId, readSignals } from './ticket-signals.js';

/** Returns a letter to the customer in the ticket's language that says what was decided. */
export function replyToTicket(message: TicketMessage): string {
  const language = message.language ?? detectLanguage(message.text);
  const say = phrases[language];
  const decision = message.decision ?? ownDecision(message);
  const state = message.order?.deliveryState ?? '';
  const facts: Readonly<Record<string, string>> = {
    order: findOrderId(message.text) ?? theOrder[language],
    state: deliveryStates[language][state] ?? state,
    amount: euros(decision.amountCents ?? message.order?.totalCents ?? 0),
  };
  const lines = sentencesFor({ message, decision, say }).map((sentence) =>
    sentence.replace(/\{(\w+)\}/gu, (whole, name: string) => facts[name] ?? whole),
  );
  return [say.greeting, '', ...lines, '', say.closing].join('\n');
}

function sentencesFor(facts: {
  readonly message: TicketMessage;
  readonly decision: KnownDecision;
  readonly say: Phrases;
}): readonly string[] {
  const { message, decision, say } = facts;
  const signals = readSignals(message.text);
  const hasTrouble = signals.isAngry || signals.isDamaged || signals.chargedTwice;
  const sorry = hasTrouble ? [say.sorry] : [];
  if (decision.action === 'refund') return [...sorry, say.refund];
  if (decision.action === 'escalate') return [...sorry, say.escalate];
  if (signals.isImpossible) return [...sorry, say.impossible];
  if (findOrderId(message.text) === null) return [...sorry, say.needOrder];
  const hasState = message.order?.deliveryState !== undefined;
  return [...sorry, say.answer, ...(hasState ? [say.delivery] : [])];
}

function ownDecision(message: TicketMessage): KnownDecision {
  const decision = decideTicket(message);
  const amountCents = decision.action === 'refund' ? decision.amountCents : undefined;
  return { action: decision.action, amountCents };
}

function euros(cents: number): string {
  return `${(cents / 100).toFixed(2)} €`;
}
