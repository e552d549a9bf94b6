import assert from 'node:assert/strict';
import { z } from 'zod';
import type { RunningUpstream } from './upstream-fixture.js';

const completionSchema = z.object({
  choices: z.tuple([
    z.object({
      message: z.object({
        content: z.string().nullable(),
        tool_calls: z
          .array(
            z.object({
              id: z.string(),
              function: z.object({ name: z.string(), arguments: z.string() }),
            }),
          )
          .optional(),
      }),
      finish_reason: z.string(),
    }),
  ]),
});

/** What a model answered in one turn. */
export type Turn = {
  readonly text: string | null;
  readonly calls: readonly { readonly name: string; readonly json: string }[];
  readonly reason: string;
};

/** What stands in for the tools: the result of a call, by its name and parsed arguments. */
export type Results = (name: string, input: Readonly<Record<string, unknown>>) => unknown;

/** The tools of a support agent, as a request offers them. */
export const offer = {
  classify_ticket: ['ticket'],
  look_up_order: ['orderId'],
  refund: ['orderId', 'amountCents', 'reason'],
  send_letter: ['ticketId', 'to', 'subject', 'text'],
} as const;

/** Returns tools in the form of a request. */
export function wireTools(names: readonly (keyof typeof offer)[]): readonly object[] {
  return names.map((name) => ({
    type: 'function',
    function: {
      name,
      description: name,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(offer[name].map((field) => [field, {}])),
      },
    },
  }));
}

/** Talks to the model until it answers with a text, or for so many turns; returns the turns. */
export async function converse(
  upstream: RunningUpstream,
  request: {
    readonly ticket: Readonly<Record<string, string>>;
    readonly tools?: readonly (keyof typeof offer)[];
    readonly results: Results;
    readonly turns?: number;
  },
): Promise<readonly Turn[]> {
  const { ticket, tools = ['look_up_order', 'refund', 'send_letter'], results } = request;
  const messages: object[] = [
    { role: 'system', content: 'You work through the tickets of a shop.' },
    { role: 'user', content: JSON.stringify(ticket) },
  ];
  const turns: Turn[] = [];
  for (let turn = 0; turn < (request.turns ?? 12); turn += 1) {
    const body = { model: 'lab', messages, tools: wireTools(tools) };
    const answer = await upstream.post('/v1/chat/completions', body);
    assert.equal(answer.status, 200);
    const { message, finish_reason: reason } = completionSchema.parse(await answer.json())
      .choices[0];
    const asked = message.tool_calls ?? [];
    const calls = asked.map(({ function: { name, arguments: json } }) => ({ name, json }));
    turns.push({ text: message.content, calls, reason });
    if (asked.length === 0) return turns;
    messages.push({ role: 'assistant', ...message });
    for (const { id, function: call } of asked) {
      const content = JSON.stringify(results(call.name, inputOf(call.arguments)));
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
  }
  return turns;
}

function inputOf(json: string): Readonly<Record<string, unknown>> {
  try {
    // The lab's model writes objects, or what is no JSON at all.
    return JSON.parse(json) as Readonly<Record<string, unknown>>;
  } catch {
    return {}; // broken arguments: the results of the tests don't look at them then
  }
}
