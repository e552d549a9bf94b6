import { z } from 'zod';
import { defineTool } from '../../contract/tool.js';

const refund = z.object({ orderId: z.string(), amountCents: z.number().int() });

/** What the measured call takes and returns. */
export type Refund = z.infer<typeof refund>;

const call = { description: 'Refunds an order', input: refund, output: refund, downstream: 'shop' };

/** The measured call as a read. */
export const readTool = defineTool({ ...call, name: 'readRefund', effect: 'read' });

/** The same call as a write, under the ledger. */
export const writeTool = defineTool({ ...call, name: 'writeRefund', effect: 'idempotent-write' });
