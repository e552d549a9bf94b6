import { z } from 'zod';
import { defineTool } from '../../contract/tool.js';

const ticket = z.object({ ticketId: z.string(), text: z.string() });
const order = z.object({ orderId: z.string() });
const decision = z.object({ orderId: z.string(), amountCents: z.number().int() });
const text = z.object({ text: z.string() });

/** The measured activities as tools with schemas; all are reads, so that the gate is measured without a ledger. */
export const lookUpTool = defineTool({
  name: 'lookUp',
  description: 'Looks an order up',
  input: ticket,
  output: order,
  effect: 'read',
  downstream: 'orders',
});

/** Decides about an order. */
export const decideTool = defineTool({
  name: 'decide',
  description: 'Decides about an order',
  input: order,
  output: decision,
  effect: 'read',
  downstream: 'model',
});

/** Answers the customer. */
export const replyTool = defineTool({
  name: 'reply',
  description: 'Answers the customer',
  input: decision,
  output: text,
  effect: 'read',
  downstream: 'mail',
});
