import { defineTool } from 'holdfast/contract';
import { z } from 'zod';
import { classificationSchema, decisionSchema, orderSchema, ticketSchema } from './ticket.js';

const model = {
  effect: 'read',
  downstream: 'model',
  estimate: { failureRate: 0.15, attemptCostMicros: 900, latencyMs: 350 },
  attemptTimeoutMs: 30_000,
  heartbeatTimeoutMs: 3_000,
} as const;

const shop = {
  downstream: 'orders',
  estimate: { failureRate: 0.15, attemptCostMicros: 20, latencyMs: 100 },
  attemptTimeoutMs: 3_000,
} as const;

/** Above this a person decides; cents. */
export const HIGHEST_REFUND_CENTS = 20_000;

export const classifyByKeywords = defineTool({
  name: 'classify_by_keywords',
  description: 'Say what a ticket is about by its words alone, without a model',
  input: z.object({ ticket: ticketSchema }),
  output: classificationSchema,
  effect: 'read',
  downstream: 'keywords',
});

export const classifyTicket = defineTool({
  ...model,
  name: 'classify_ticket',
  description: 'Say what a ticket is about, in which language, how urgent, and for which order',
  input: z.object({ ticket: ticketSchema }),
  output: classificationSchema,
  fallback: { tool: classifyByKeywords },
});

export const lookUpOrder = defineTool({
  ...shop,
  name: 'look_up_order',
  description: 'Look up an order by its number; the order is null where there is none',
  input: z.object({ orderId: z.string().nullable() }),
  output: z.object({ order: orderSchema.nullable() }),
  effect: 'read',
});

export const decideAction = defineTool({
  ...model,
  name: 'decide_action',
  description: 'Decide whether to pay back, to answer, or to hand the ticket to a person',
  input: z.object({ ticket: ticketSchema, order: orderSchema.nullable() }),
  output: decisionSchema,
  fallback: { value: { action: 'escalate', reason: 'No model could decide.' } },
});

export const refundOrder = defineTool({
  ...shop,
  name: 'refund_order',
  description: 'Pay back what was decided; sends nothing where no refund was decided',
  input: z.object({ order: orderSchema.nullable(), decision: decisionSchema }),
  output: z.object({ decision: decisionSchema, refundId: z.string().nullable() }),
  effect: 'idempotent-write',
  identity: ({ order, decision }) => ({
    orderId: order?.orderId,
    amountCents: decision.amountCents ?? 0,
  }),
  fallback: {
    value: {
      decision: { action: 'escalate', reason: 'The refund was not confirmed.' },
      refundId: null,
    },
  },
});

export const payRefund = defineTool({
  ...shop,
  name: 'pay_refund',
  description: 'Pay money back for an order. A person is asked first where it is much.',
  input: z.object({ orderId: z.string(), amountCents: z.int().positive(), reason: z.string() }),
  output: z.object({ refundId: z.string(), amountCents: z.int() }),
  effect: 'idempotent-write',
  // One refund for an order of a ticket, however often and in whatever words a model asks for it.
  identity: ({ orderId }) => ({ orderId }),
  approval: {
    when: ({ amountCents }) => amountCents > HIGHEST_REFUND_CENTS,
    timeoutMs: 86_400_000,
  },
});

export const writeReply = defineTool({
  ...model,
  name: 'write_reply',
  description: 'Write the letter to the customer that says what was done',
  input: z.object({
    ticket: ticketSchema,
    language: z.string(),
    order: orderSchema.nullable(),
    decision: decisionSchema,
  }),
  output: z.object({ text: z.string().min(1) }),
  fallback: {
    text: 'Hello,\n\nwe have your message. A colleague will write to you within one working day.',
  },
});

export const sendReply = defineTool({
  name: 'send_reply',
  description: 'Send the letter to the customer by e-mail',
  input: z.object({ ticket: ticketSchema, text: z.string() }),
  output: z.object({ messageId: z.string() }),
  effect: 'idempotent-write',
  downstream: 'mail',
  identity: ({ ticket }) => ({ ticketId: ticket.id }),
  estimate: { failureRate: 0.15, attemptCostMicros: 100, latencyMs: 100 },
  attemptTimeoutMs: 3_000,
});

/** The tools of a ticket's task, whose steps are known beforehand. */
export const tools = [
  classifyTicket,
  classifyByKeywords,
  lookUpOrder,
  decideAction,
  refundOrder,
  writeReply,
  sendReply,
];

/** The tools that a model chooses from where it works through a ticket by itself. */
export const agentTools = [classifyTicket, lookUpOrder, payRefund, sendReply];
