/** Things by a name that others chose, as plain JSON. */
export type Named<Thing> = Readonly<Record<string, Thing>>;

/** Returns what stands under a name, also where the name is `constructor` or `__proto__`. */
export function named<Thing>(things: Named<Thing>, name: string): Thing | undefined {
  return Object.hasOwn(things, name) ? things[name] : undefined;
}

/** Workflows of which something holds: how often it was seen, and a few ids. */
export type Seen = { readonly count: number; readonly examples: readonly string[] };

/** Ids that are kept at most. */
export const mostExamples = 5;

/** Nothing seen. */
export const notSeen: Seen = { count: 0, examples: [] };

/** Returns what was seen with `times` more of it in a workflow. */
export function see({ count, examples }: Seen, workflowId: string, times = 1): Seen {
  const isKnown = examples.length >= mostExamples || examples.includes(workflowId);
  return { count: count + times, examples: isKnown ? examples : [...examples, workflowId] };
}
