import { z } from 'zod';
import { defineTool } from '../../contract/tool.js';
import { drillFacts } from './drill-plan.js';

const shop = {
  downstream: 'shop',
  estimate: { failureRate: 0.02, attemptCostMicros: 500, latencyMs: 50 },
  attemptTimeoutMs: drillFacts.attemptTimeoutMs,
} as const;

const order = z.object({ orderId: z.string(), totalCents: z.int() }).nullable();

/** Reads the order of a ticket. */
export const lookUpOrder = defineTool({
  ...shop,
  name: 'look_up_order',
  description: 'Look up an order by its number',
  input: z.object({ orderId: z.string() }),
  output: z.object({ order }),
  effect: 'read',
  fallback: { value: { order: null } },
});

/** Asks the model what to do. */
export const decideAction = defineTool({
  ...shop,
  name: 'decide_action',
  description: 'Say what is to be done about a ticket',
  input: z.object({ ticket: z.string(), order }),
  output: z.object({ text: z.string() }),
  effect: 'read',
  fallback: { text: 'Hand it to a person.' },
});

/** Pays one cent of the order back: the effect that must not come twice. */
export const payRefund = defineTool({
  ...shop,
  name: 'pay_refund',
  description: 'Pay money back for an order',
  input: z.object({ orderId: z.string(), amountCents: z.int().positive() }),
  output: z.object({ refundId: z.string().nullable() }),
  effect: 'idempotent-write',
  fallback: { value: { refundId: null } },
});

/** Asks the model for the answer that the user reads. */
export const writeReply = defineTool({
  ...shop,
  name: 'write_reply',
  description: 'Write the answer to a ticket',
  input: z.object({ ticket: z.string(), decision: z.string(), isPaid: z.boolean() }),
  output: z.object({ text: z.string() }),
  effect: 'read',
  fallback: { text: 'We are busy: a person will answer you today.' },
});

/** The four calls of a ticket, all to one downstream. */
export const drillTools = [lookUpOrder, decideAction, payRefund, writeReply];
