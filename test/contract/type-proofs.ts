import { implementTool } from 'holdfast';
import {
  definePolicy,
  defineTool,
  hasValue,
  type Outcome,
  type ToolInput,
  type ToolOutput,
} from 'holdfast/contract';
import { defineAgentTask, type Governor } from 'holdfast/workflow';
import { z } from 'zod';

/** Compiles only where both types are the same. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Takes a proof; a wrong one is an error of the compiler, found by `npm run check`. */
function proves<Proof extends true>(proof?: Proof): void {
  void proof;
}

/** A tool whose schemas differ in every way between what goes in and what comes out. */
export const refund = defineTool({
  name: 'refund_order',
  description: 'Pay back an order',
  input: z.object({
    orderId: z.string(),
    amountCents: z.number(),
    reason: z.string().default('none'),
    size: z.string().transform((text) => text.length),
  }),
  output: z.object({ refundId: z.string(), note: z.string().optional() }),
  effect: 'idempotent-write',
  downstream: 'orders',
  identity: ({ orderId, reason }) => {
    proves<Same<typeof orderId, string>>();
    proves<Same<typeof reason, string | undefined>>(); // as given, before the default
    return { orderId };
  },
  fallback: { value: { refundId: 'none' } },
});

type Input = { orderId: string; amountCents: number; reason?: string | undefined; size: string };
type Output = { refundId: string; note?: string | undefined };

const given = { orderId: 'ORD-1', amountCents: 1, size: 'abc' };

/** Never runs: its types are the test. */
export async function answersOf(governor: Governor): Promise<void> {
  const size = z.object({ size: z.string().transform(Number) });
  const asked = { question: 'How large?', timeoutMs: 1 };
  const answer = await governor.ask(size, { ...asked, fallback: { value: { size: 1 } } });
  if (answer.kind !== 'denied') proves<Same<typeof answer.value, { size: number }>>();
  // @ts-expect-error: what stands in isn't one of the schema
  await governor.ask(size, { ...asked, fallback: { value: { size: 'large' } } });
}

/** Never runs: its types are the test. */
export async function callsOf(governor: Governor): Promise<void> {
  const outcome = await governor.call(refund, given);
  proves<Same<typeof outcome, Outcome<Output>>>();
  if (outcome.kind === 'ok') proves<Same<typeof outcome.value, Output>>();
  if (outcome.kind === 'degraded') proves<Same<typeof outcome.value, Output>>();
  if (hasValue(outcome)) proves<Same<typeof outcome.value, Output>>();
  else
    proves<Same<typeof outcome.kind, 'exhausted' | 'rejected' | 'failed' | 'denied' | 'unknown'>>();
  // @ts-expect-error: an outcome has a value only where its kind says so
  void outcome.value;
  const needed = await governor.need(refund, given);
  proves<Same<typeof needed, Output>>();
  await governor.call(refund, { ...given, reason: 'damaged' }, { occurrence: '2026-01-05' });
  // @ts-expect-error: a field is missing
  await governor.call(refund, { orderId: 'ORD-1', size: 'abc' });
  // @ts-expect-error: a field has the wrong type
  await governor.call(refund, { ...given, amountCents: '1' });
  // @ts-expect-error: the input is what goes in, not what the transform makes of it
  await governor.need(refund, { ...given, size: 3 });
  // @ts-expect-error: a field that the tool doesn't have
  await governor.need(refund, { orderId: 'ORD-1', amountCents: 1, size: 'abc', amount: 1 });
  await governor.call(refund, given, {
    compensate: {
      tool: refund,
      input: (input, value) => {
        proves<Same<typeof input, Input>>();
        proves<Same<typeof value, Output | undefined>>();
        return input;
      },
    },
  });
  proves<Same<Awaited<ReturnType<typeof governor.saga<number>>>, number>>();
  // @ts-expect-error: no such option
  await governor.call(refund, given, { occurence: '1' });
  // @ts-expect-error: no such field in the value
  void needed.refund;
}

const base = {
  name: 'tool',
  description: 'A tool',
  input: z.object({ id: z.string() }),
  output: z.object({ ok: z.boolean() }),
  effect: 'read',
  downstream: 'd',
} as const;

proves<Same<ToolInput<typeof refund>, Input>>();
proves<Same<ToolOutput<typeof refund>, Output>>();
proves<Same<typeof refund.name, 'refund_order'>>();

/** Never runs: its types are the test. */
export function definitionsOf(): void {
  defineTool({ ...base, fallback: { tool: refund, input: ({ id }) => ({ orderId: id }) } });
  // @ts-expect-error: the fallback's value isn't one of the output
  defineTool({ ...base, fallback: { value: { ok: 'yes' } } });
  const labelled = { ...base, output: z.object({ ok: z.boolean(), confidence: z.string() }) };
  defineTool({ ...labelled, fallback: { rule: ({ id }) => ({ ok: id === 'a' }) } });
  // @ts-expect-error: the rule leaves out more than the confidence
  defineTool({ ...labelled, fallback: { rule: ({ id }) => ({ id }) } });
  // @ts-expect-error: the identity gets the input, which has no such field
  defineTool({ ...base, identity: ({ orderId }) => orderId });
  // @ts-expect-error: the fallback's input is made of the input, which has no such field
  defineTool({ ...base, fallback: { tool: refund, input: ({ orderId }) => orderId } });
  // @ts-expect-error: the approval sees the input, which has no such field
  defineTool({ ...base, approval: { timeoutMs: 1, when: ({ amount }) => amount > 1 } });
  defineTool({
    ...base,
    compensate: { tool: refund, input: ({ id }, value) => ({ orderId: id, done: value?.ok }) },
  });
  // @ts-expect-error: the undo's input is made of the input, which has no such field
  defineTool({ ...base, compensate: { tool: refund, input: ({ orderId }) => orderId } });
  // @ts-expect-error: the value may be missing: the call may have happened without an answer
  defineTool({ ...base, compensate: { tool: refund, input: (_input, value) => value.ok } });
  // @ts-expect-error: no such effect
  defineTool({ ...base, effect: 'delete' });
  // @ts-expect-error: no such field
  defineTool({ ...base, maxRetry: 3 });
  // @ts-expect-error: no such objective
  definePolicy({ objective: 'best' });
  // @ts-expect-error: no such field
  definePolicy({ backoff: { base: 3 } });
  definePolicy({ breaker: { consecutiveFailureThreshold: 'Infinity' } });
  implementTool(refund, async (input, { idempotencyKey }) => {
    proves<Same<typeof input.size, number>>(); // the run gets what the schema makes
    proves<Same<typeof input.reason, string>>();
    return { refundId: idempotencyKey ?? 'none' };
  });
  // @ts-expect-error: the answer isn't one of the output
  implementTool(refund, async () => ({ refundId: 7 }));
  // @ts-expect-error: a task is made of tools
  defineAgentTask({ tools: ['refund_order'] });
}
