import { HttpError, implementTool, type ToolImplementation } from 'holdfast';
import { chat, jsonIn, type Model } from './chat.js';
import { classifyByWords } from './keywords.js';
import { prompts } from './prompts.js';
import type { Classification, Decision, Order } from './ticket.js';
import * as tools from './tools.js';

/** Where the agent's tools send their requests. */
export type Services = {
  /** Base URL of the shop: orders, refunds, e-mails. */
  readonly shopUrl: string;
  readonly model: Model;
};

/**
 * Makes the agent's tools for these services. Answers are cast, not parsed: implementTool checks
 * what a tool returns against its output schema, and a wrong answer of the model then falls back.
 */
export function supportTools({ shopUrl, model }: Services): ToolImplementation[] {
  return [
    implementTool(tools.classifyByKeywords, async ({ ticket }) => classifyByWords(ticket)),

    implementTool(tools.classifyTicket, async (about, context) => {
      const text = await chat(context, { model, instructions: prompts.classify, about });
      return jsonIn(text) as Classification;
    }),

    implementTool(tools.lookUpOrder, async ({ orderId }, { http }) => {
      if (orderId === null) return { order: null };
      try {
        const { body } = await http({ url: `${shopUrl}/orders/${encodeURIComponent(orderId)}` });
        return { order: body as Order };
      } catch (error) {
        // That an order doesn't exist is an answer.
        if (error instanceof HttpError && error.answer.status === 404) return { order: null };
        throw error;
      }
    }),

    implementTool(tools.decideAction, async (about, context) => {
      const text = await chat(context, { model, instructions: prompts.decide, about });
      return jsonIn(text) as Decision;
    }),

    implementTool(tools.refundOrder, async ({ order, decision }, { http }) => {
      const { action, amountCents, reason } = decision;
      if (action !== 'refund') return { decision, refundId: null };
      const highest = Math.min(order?.totalCents ?? 0, tools.HIGHEST_REFUND_CENTS);
      if (order === null || !amountCents || amountCents > highest) {
        return { decision: { action: 'escalate' as const, reason }, refundId: null };
      }
      const json = { orderId: order.orderId, amountCents, reason };
      const { body } = await http({ url: `${shopUrl}/refunds`, json });
      return { decision, refundId: (body as { readonly refundId: string }).refundId };
    }),

    implementTool(tools.payRefund, async (json, { http }) => {
      const { body } = await http({ url: `${shopUrl}/refunds`, json });
      return body as { readonly refundId: string; readonly amountCents: number };
    }),

    implementTool(tools.writeReply, async (about, context) => ({
      text: await chat(context, { model, instructions: prompts.reply, about }),
    })),

    implementTool(tools.sendReply, async ({ ticket, text }, { http }) => {
      const json = { to: ticket.from, subject: `Re: ${ticket.subject}`, body: text };
      const { body } = await http({ url: `${shopUrl}/emails`, json });
      return body as { readonly messageId: string };
    }),
  ];
}
