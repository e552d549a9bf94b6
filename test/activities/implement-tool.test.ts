import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { implementTool, type ToolContext } from 'holdfast';
import { defineTool } from 'holdfast/contract';
import { z } from 'zod';
import { withUpstream } from '../lab/upstream-fixture.js';
import { answeredAttempt, failedAttempt, readHeader } from './attempts.js';

const tool = defineTool({
  name: 'count',
  description: 'Counts',
  input: z.object({
    id: z.string(),
    times: z.number().default(2),
    size: z
      .string()
      .transform((text) => text.length)
      .optional(),
  }),
  output: z.object({ count: z.number() }),
  effect: 'idempotent-write',
  downstream: 'orders',
});

/** The activity of the tool with an implementation that types would refuse. */
function activityOf(
  run: (input: unknown, context: ToolContext) => unknown,
): (input: unknown) => unknown {
  const { activity } = implementTool(tool, async (input, context) => {
    const answer: unknown = await run(input, context);
    return answer as { count: number }; // the test's answers are wrong on purpose
  });
  return activity as (input: unknown) => unknown; // and so are its inputs
}

const header = { effect: 'idempotent-write' } as const;

describe('the implementation of a tool', () => {
  it('gets its input parsed: with defaults and transforms', async () => {
    let seen: unknown;
    const activity = activityOf((input) => {
      seen = input;
      return { count: 1 };
    });
    await answeredAttempt(() => activity({ id: 'a', size: 'abc', more: 1 }));
    assert.deepEqual(seen, { id: 'a', times: 2, size: 3 });
  });

  it('gives its output as the schema has it', async () => {
    const activity = activityOf(() => ({ count: 3, more: 1 }));
    assert.deepEqual((await answeredAttempt(() => activity({ id: 'a' }))).value, { count: 3 });
  });

  it('knows its key, its attempt, its retries and its time, and has a signal', async () => {
    const before = { failed: 'f', tokensWasted: 0, ambiguous: false };
    let seen: Partial<ToolContext> = {};
    const activity = activityOf((_input, context) => {
      seen = context;
      return { count: context.timeLeftMs() };
    });
    const { value } = await answeredAttempt(() => activity({ id: 'a' }), {
      header: { ...header, before },
    });
    assert.equal(seen.idempotencyKey, readHeader.key);
    assert.equal(seen.attempt, 2);
    assert.equal(seen.retriesLeft, 1);
    assert.equal(seen.signal?.aborted, false);
    assert.ok((value as { count: number }).count > 0);
  });

  it('books its tokens', async () => {
    const activity = activityOf((_input, { addTokens }) => {
      addTokens(12);
      return { count: 1 };
    });
    assert.equal((await answeredAttempt(() => activity({ id: 'a' }))).tokens, 12);
  });

  it('works outside the gate too, with nothing to know', async () => {
    let seen: Partial<ToolContext> = {};
    const activity = activityOf((_input, context) => {
      seen = context;
      context.addTokens?.(3);
      return { count: 1 };
    });
    await answeredAttempt(() => activity({ id: 'a' }), { header: null, info: { attempt: 4 } });
    assert.equal(seen.idempotencyKey, undefined);
    assert.equal(seen.attempt, 4);
    assert.equal(seen.retriesLeft, 0);
    assert.equal(seen.timeLeftMs?.(), Number.POSITIVE_INFINITY);
  });

  it('sends its key, once an attempt', async () => {
    await withUpstream({}, async (upstream) => {
      const activity = activityOf(async (_input, { http }) => {
        await http({
          url: `${upstream.url}/refunds`,
          json: { orderId: 'ORD-1003', amountCents: 1 },
        });
        return { count: 1 };
      });
      await answeredAttempt(() => activity({ id: 'a' }), { header });
      const [call] = upstream.stats().calls;
      assert.deepEqual(call?.keys, [readHeader.key]);
      assert.equal(call?.attempts, 1);
      assert.equal(call?.budgets[0]?.attempt, '1');
      assert.equal(call?.budgets[0]?.retriesLeft, '2');
    });
  });
});

describe('an input that the schema refuses', () => {
  it('is an invalid request that nothing runs for and no fallback hides', async () => {
    let ran = false;
    const activity = activityOf(() => {
      ran = true;
    });
    const { failure, detail } = await failedAttempt(() => activity({ id: 7 }), { header });
    assert.equal(ran, false);
    assert.equal(detail.class, 'invalid-request');
    assert.deepEqual([detail.retryable, detail.fallback], [false, false]);
    assert.equal(detail.sums.ambiguous, false);
    assert.match(failure.message, /count\.input\.id .*got 7/);
  });
});

describe('an answer that the schema refuses', () => {
  it('fails its validation: no retry, but a fallback', async () => {
    const activity = activityOf(() => ({ count: 'many' }));
    const { failure, detail } = await failedAttempt(() => activity({ id: 'a' }));
    assert.equal(detail.class, 'validation');
    assert.deepEqual([detail.retryable, detail.fallback], [false, true]);
    assert.equal(failure.nonRetryable, true);
    assert.match(failure.message, /count\.output\.count .*got "many"/);
  });

  it('says of a write that it may have happened', async () => {
    const activity = activityOf(() => undefined);
    const { detail } = await failedAttempt(() => activity({ id: 'a' }), { header });
    assert.equal(detail.sums.ambiguous, true);
  });
});

const refusals: readonly (readonly [object, boolean])[] = [
  [{ success: false, retryable: false, message: 'no use' }, false],
  [{ success: false, retryable: true, message: 'again' }, true],
  [{ success: false }, false],
  [{ isError: true, content: [{ type: 'text', text: 'no such order' }] }, false],
  [{ success: false, retryable: false, error: { status: 503 } }, false],
  [{ success: false, error: { status: 503 } }, true],
];

describe('a tool that answers that it failed', () => {
  for (const [answer, retried] of refusals) {
    it(`is ${retried ? 'asked again' : 'obeyed'}: ${JSON.stringify(answer)}`, async () => {
      const activity = activityOf(() => answer);
      const { failure, detail } = await failedAttempt(() => activity({ id: 'a' }));
      assert.equal(detail.retryable, retried);
      assert.equal(failure.nonRetryable, !retried);
    });
  }

  it('is heard before its answer is checked, and counted as a failed attempt', async () => {
    const activity = activityOf(() => ({ success: false, count: 1 }));
    const { detail } = await failedAttempt(() => activity({ id: 'a' }));
    assert.equal(detail.sums.failed.length, 1);
  });
});
