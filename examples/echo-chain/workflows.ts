import { createGovernor } from 'holdfast/workflow';
import { reply, rerank, summarize, tools } from './tools.js';

export async function echoChain(text: string): Promise<string> {
  const governor = createGovernor({ tools, policy: { globalRetryBudget: 3 } });
  const ranked = await governor.need(rerank, { text });
  const summary = await governor.need(summarize, ranked);
  return (await governor.need(reply, summary)).text;
}
