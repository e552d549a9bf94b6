import type { ToolContext } from 'holdfast';
import { z } from 'zod';

/** A model behind an OpenAI-compatible API. */
export type Model = {
  /** Base URL that ends before `/chat/completions`. */
  readonly url: string;
  readonly name: string;
  /** Sent as a bearer token where there is one. */
  readonly key?: string | undefined;
};

const MAX_ANSWER_TOKENS = 700;

const completionSchema = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
  usage: z.object({ total_tokens: z.int() }).optional(),
});

/**
 * Asks the model once and books the tokens, also where the answer turns out to be of no use.
 * @returns the text of the answer, empty where there is none
 */
export async function chat(
  { http, addTokens }: ToolContext,
  request: { readonly model: Model; readonly instructions: string; readonly about: unknown },
): Promise<string> {
  const { model, instructions, about } = request;
  const { body } = await http({
    url: `${model.url}/chat/completions`,
    headers: model.key ? { authorization: `Bearer ${model.key}` } : {},
    json: {
      model: model.name,
      max_tokens: MAX_ANSWER_TOKENS,
      messages: [
        { role: 'system', content: instructions },
        { role: 'user', content: JSON.stringify(about) },
      ],
    },
  });
  const answer = completionSchema.safeParse(body);
  addTokens(answer.data?.usage?.total_tokens ?? 0);
  return answer.data?.choices[0]?.message.content ?? '';
}

/** Returns the JSON that a model was asked for, fenced or not; the text itself where it wrote none. */
export function jsonIn(text: string): unknown {
  const fenced = /```(?:json)?\s*([\s\S]*?)```/u.exec(text);
  try {
    return JSON.parse(fenced?.[1] ?? text);
  } catch {
    return text; // no answer of a tool is a bare text: its output schema refuses it
  }
}
