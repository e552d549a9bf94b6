import { proxyActivities } from '@temporalio/workflow';
import type { ModelMessage } from 'ai';
import type { PlainAgentActivities } from '../agent-activities.js';

const { generate, callTool } = proxyActivities<PlainAgentActivities>({
  startToCloseTimeout: 10_000,
  retry: { maximumAttempts: 3 },
});

/** An agent as it is usually written on Temporal: the conversation travels with every call. */
export async function workOnTicket({ prompt }: { readonly prompt: string }): Promise<string> {
  let messages: readonly ModelMessage[] = [{ role: 'user', content: prompt }];
  for (;;) {
    const turn = await generate(messages);
    if (turn.calls.length === 0) return turn.text;
    const results = await Promise.all(turn.calls.map(callTool));
    messages = [...messages, ...turn.messages, ...results];
  }
}
