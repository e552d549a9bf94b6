import type { Classification, Ticket } from './ticket.js';

const refund = /refund|money back|charged twice|erstatt|rembours|reembols|devol|退款/iu;
const urgent = /urgent|immediately|lawyer|legal|dringend|anwalt|紧急/iu;
const order = /\bORD-?\d{1,12}\b/iu;

/** Says what a ticket is about by its words: coarse, but it needs no model. */
export function classifyByWords({ subject, body }: Ticket): Classification {
  const text = `${subject}\n${body}`;
  return {
    intent: refund.test(text) ? 'refund' : text.includes('?') ? 'question' : 'other',
    language: /\p{Script=Han}/u.test(text) ? 'zh' : 'en',
    urgency: urgent.test(text) ? 'high' : 'normal',
    orderId: order.exec(text)?.[0].toUpperCase() ?? null,
  };
}
