import { z } from 'zod';
import type { Http } from '../../activities/http.js';
import { implementTool, type ToolImplementation } from '../../activities/implement-tool.js';
import { decideAction, lookUpOrder, payRefund, writeReply } from './drill-tools.js';

const orderSchema = z.object({ orderId: z.string(), totalCents: z.int() });
const refundSchema = z.object({ refundId: z.string() });
const chatSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
  usage: z.object({ total_tokens: z.int() }),
});

/** Makes the drill's tools for an upstream. */
export function drillImplementations(shopUrl: string): readonly ToolImplementation[] {
  const chat = async (http: Http, task: string, about: unknown) => {
    const messages = [
      { role: 'system', content: `task: ${task}\nYou answer the mail of a web shop.` },
      { role: 'user', content: JSON.stringify(about) },
    ];
    const { body } = await http({
      url: `${shopUrl}/v1/chat/completions`,
      json: { model: 'lab', messages },
    });
    const { choices, usage } = chatSchema.parse(body);
    return { text: choices.map(({ message }) => message.content).join(), usage };
  };
  return [
    implementTool(lookUpOrder, async ({ orderId }, { http }) => {
      const { body } = await http({ url: `${shopUrl}/orders/${orderId}` });
      return { order: orderSchema.parse(body) };
    }),
    implementTool(decideAction, async (about, { http, addTokens }) => {
      const { text, usage } = await chat(http, 'decide', about);
      addTokens(usage.total_tokens);
      return { text };
    }),
    implementTool(payRefund, async (json, { http }) => {
      const { body } = await http({ url: `${shopUrl}/refunds`, json });
      return refundSchema.parse(body);
    }),
    implementTool(writeReply, async (about, { http, addTokens }) => {
      const { text, usage } = await chat(http, 'reply', about);
      addTokens(usage.total_tokens);
      return { text };
    }),
  ];
}
