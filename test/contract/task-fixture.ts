import { checkTask, defineTool } from 'holdfast/contract';
import { z } from 'zod';

const common = { description: 'A tool', effect: 'read', downstream: 'orders' } as const;

type Note = { readonly text: string; readonly replies: readonly Note[] };
const note: z.ZodType<Note> = z.object({
  text: z.string(),
  get replies() {
    return z.array(note);
  },
});

export const lookUp = defineTool({
  ...common,
  name: 'look_up',
  input: z.strictObject({ orderId: z.string() }),
  output: z.object({
    order: z.object({ id: z.string(), totalCents: z.number() }),
    items: z.array(z.object({ sku: z.string() })),
    pair: z.tuple([z.string(), z.number()]),
    pairs: z.tuple([z.string()], z.object({ rest: z.string() })),
    refund: z.union([z.object({ refundId: z.string() }), z.string()]),
    either: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), a: z.string() }),
      z.object({ kind: z.literal('b'), b: z.string() }),
    ]),
    both: z.intersection(z.object({ left: z.string() }), z.object({ right: z.string() })),
    prices: z.record(z.string(), z.number()),
    extra: z.looseObject({ known: z.string() }),
    anything: z.unknown(),
    json: z.json(),
    state: z.enum(['open', 'closed']),
    note: z.string().nullable(),
    maybe: z.object({ deep: z.string() }).optional(),
    thread: note,
    named: z.object({ label: z.string() }).meta({ id: 'a/named~thing' }),
    'a/b': z.string(),
    'm~n': z.string(),
  }),
});

export const pay = defineTool({
  ...common,
  name: 'pay',
  input: z.strictObject({
    orderId: z.string(),
    amountCents: z.number().int().positive(),
    tags: z.array(z.string()).min(1).optional(),
    to: z.union([z.string(), z.strictObject({ iban: z.string() })]).optional(),
    reason: z.string().default('none'),
  }),
  output: z.object({ refundId: z.string() }),
});

export const say = defineTool({
  ...common,
  name: 'say',
  input: z.object({ text: z.string() }),
  output: z.string(),
});

export const tools = [lookUp, pay, say];

/** Checks a task of these steps. */
export function check(...steps: readonly unknown[]): unknown {
  return checkTask({ steps }, tools);
}

/** A first step that looks an order up. */
export const first = { id: 'first', tool: 'look_up', input: { orderId: 'ORD-1' } };

/** A step that pays, with an input of its own. */
export function paying(input: Readonly<Record<string, unknown>>): object {
  return { id: 'second', tool: 'pay', input: { orderId: 'ORD-1', amountCents: 1, ...input } };
}
