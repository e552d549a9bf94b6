import { z } from 'zod';
import { defineTool } from '../../contract/tool.js';

/** Calls of the downstream that hangs which may run at once in the worker, where its policy says so. */
export const MAX_CONCURRENT = 5;

/** How a call reaches a downstream: the healthy one, or the one that hangs with a bulkhead and without. */
export const neighbours = ['healthy', 'bounded', 'unbounded'] as const;

/** One of the ways. */
export type Neighbour = (typeof neighbours)[number];

const call = {
  input: z.object({ number: z.int() }),
  output: z.object({ ok: z.boolean() }),
  effect: 'read',
} as const;

/** One read for each way; the two that hang are downstreams apart, so that only one of them has the bulkhead. */
export const neighbourTools = {
  healthy: defineTool({
    ...call,
    name: 'ask_healthy',
    description: 'Asks the downstream that answers',
    downstream: 'healthy',
  }),
  bounded: defineTool({
    ...call,
    name: 'ask_bounded',
    description: 'Asks the downstream that hangs, a few calls at once',
    downstream: 'bounded',
  }),
  unbounded: defineTool({
    ...call,
    name: 'ask_unbounded',
    description: 'Asks the downstream that hangs, as many calls as there are slots',
    downstream: 'unbounded',
  }),
};
