import type { Task } from 'holdfast/contract';
import type { Ticket } from './ticket.js';
import {
  classifyTicket,
  decideAction,
  lookUpOrder,
  refundOrder,
  sendReply,
  writeReply,
} from './tools.js';

/**
 * Returns the task that works through a ticket: classify, look up, decide, act, write, reply.
 * @param deadlineMs milliseconds that it may take; by default the policy's
 */
export function ticketTask(ticket: Ticket, deadlineMs?: number): Task {
  const order = { $ref: 'look_up#/order' };
  return {
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    steps: [
      { id: 'classify', tool: classifyTicket.name, input: { ticket } },
      {
        id: 'look_up',
        tool: lookUpOrder.name,
        input: { orderId: { $ref: 'classify#/orderId' } },
        required: false,
        fallback: { value: { order: null } },
      },
      { id: 'decide', tool: decideAction.name, input: { ticket, order } },
      { id: 'act', tool: refundOrder.name, input: { order, decision: { $ref: 'decide' } } },
      {
        id: 'write',
        tool: writeReply.name,
        input: {
          ticket,
          language: { $ref: 'classify#/language' },
          order,
          decision: { $ref: 'act#/decision' },
        },
      },
      { id: 'reply', tool: sendReply.name, input: { ticket, text: { $ref: 'write#/text' } } },
    ],
  };
}
