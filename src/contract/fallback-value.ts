import type { z } from 'zod';

/**
 * Returns a text as a value of an output schema: the text itself, or `{text}`; undefined where the
 * schema takes neither.
 */
export function textValue(output: z.ZodType, text: string): unknown {
  for (const candidate of [text, { text }]) {
    const parsed = output.safeParse(candidate);
    if (parsed.success) return parsed.data;
  }
  return undefined;
}
