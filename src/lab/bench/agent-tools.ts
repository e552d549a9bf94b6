import { z } from 'zod';
import { defineModel } from '../../contract/model.js';
import { defineTool } from '../../contract/tool.js';

/** The model that chooses the calls. */
export const agentModel = defineModel({ name: 'lab' });

/** Looks an order up. */
export const lookUpOrder = defineTool({
  name: 'look_up_order',
  description: 'Looks an order up by its number',
  input: z.object({ orderId: z.string() }),
  output: z.looseObject({ orderId: z.string() }),
  effect: 'read',
  downstream: 'orders',
});

/** Pays money back. */
export const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Pays money back for an order',
  input: z.object({ orderId: z.string(), amountCents: z.int().positive(), reason: z.string() }),
  output: z.looseObject({ refundId: z.string() }),
  effect: 'idempotent-write',
  downstream: 'orders',
});

/** Writes to the customer. */
export const sendLetter = defineTool({
  name: 'send_letter',
  description: 'Sends a letter by e-mail',
  input: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
  output: z.looseObject({ messageId: z.string() }),
  effect: 'idempotent-write',
  downstream: 'mail',
});

/** The tools that the model chooses from, measured with and without holdfast. */
export const agentTools = [lookUpOrder, refundOrder, sendLetter];

/** What the model is told. */
export const agentSystem =
  'You work through the tickets of a web shop with the tools that you are given.';
