import { defineTool } from 'holdfast/contract';
import { z } from 'zod';

const text = z.object({ text: z.string() });
const echo = { input: text, output: text, effect: 'read' } as const;

export const rerank = defineTool({
  ...echo,
  name: 'search_rerank',
  description: 'Put search results into order',
  downstream: 'search',
  estimate: { failureRate: 0.01, attemptCostMicros: 1_055, latencyMs: 160 },
});
export const summarize = defineTool({
  ...echo,
  name: 'content_summarize',
  description: 'Make a text shorter',
  downstream: 'content',
  estimate: { failureRate: 0.03, attemptCostMicros: 1_643, latencyMs: 620 },
});
export const reply = defineTool({
  ...echo,
  name: 'chat_reply',
  description: 'Answer',
  downstream: 'chat',
  estimate: { failureRate: 0.02, attemptCostMicros: 1_088, latencyMs: 420 },
});

export const tools = [rerank, summarize, reply];
