import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FaultPlanInput } from '../../src/lab/upstream/index.js';
import { decideFault, faultPlanSchema } from '../../src/lab/upstream/index.js';
import { converse, type Turn } from './agent-conversation.js';
import { withUpstream } from './upstream-fixture.js';

const ticket = {
  id: 'ticket-1',
  from: 'somebody@example.com',
  subject: 'Parcel',
  body: 'When does ORD-1003 come?',
};

describe('a model of the lab upstream that misbehaves', () => {
  it('writes arguments that are no JSON', async () => {
    const [turn] = await talk('broken-arguments');
    const [call] = turn?.calls ?? [];
    assert.equal(call?.name, 'look_up_order');
    assert.throws(() => JSON.parse(call?.json ?? '{}'), SyntaxError);
  });

  it('calls a tool that nobody offered', async () => {
    const [turn] = await talk('unknown-tool');
    assert.equal(turn?.calls[0]?.name, 'look_up_order_v2');
  });

  it('writes arguments without what the tool needs', async () => {
    const [turn] = await talk('wrong-arguments');
    assert.deepEqual(JSON.parse(turn?.calls[0]?.json ?? ''), { query: 'all of it' });
  });

  it('makes its first call over and over', async () => {
    const turns = await talk('endless-calls');
    assert.equal(turns.length, 5);
    const calls = turns.map((turn) => turn.calls.map(({ name, json }) => name + json).join());
    assert.deepEqual(new Set(calls), new Set(['look_up_order{"orderId":"ORD-1003"}']));
  });

  it('behaves again where the fault is over, and counts how often it did not', async () => {
    const fault = { kind: 'misbehave', how: 'broken-arguments', window: { calls: 1 } } as const;
    await withUpstream({ faults: { chat: { faults: [fault] } } }, async (upstream) => {
      const wrong = { error: { kind: 'bad-call' } };
      const results = (_: string, input: object): unknown =>
        Object.keys(input).length === 0 ? wrong : { messageId: 'message-1' };
      const turns = await converse(upstream, { ticket, results });
      assert.match(turns.at(-1)?.text ?? '', /The customer has got a letter/u);
      assert.equal(upstream.stats().routes.chat.faults['misbehave broken-arguments'], 1);
    });
  });
});

describe('faults of the lab upstream for agents', () => {
  it('answers 200 with {success: false}, without an effect, and says of another try what it is told', async () => {
    const rows = [
      { retryable: true, says: { retryable: true } },
      { retryable: undefined, says: {} },
    ];
    for (const { retryable, says } of rows) {
      const fault = { kind: 'refuse', ...(retryable !== undefined && { retryable }) } as const;
      await withUpstream({ faults: { refunds: { faults: [fault] } } }, async (upstream) => {
        const answer = await upstream.refund({ key: 'k' });
        assert.equal(answer.status, 200);
        const error = { code: 'not-done', message: 'The lab refuses on purpose.' };
        assert.deepEqual(await answer.json(), { success: false, error, ...says });
        assert.equal(upstream.stats().totals.effects, 0);
      });
    }
  });

  it('hints a day', async () => {
    const hint = { form: 'seconds', waitMs: 86_400_000 } as const;
    const faults = { chat: { faults: [{ kind: 'rate-limit', hint }] } } satisfies FaultPlanInput;
    await withUpstream({ faults }, async (upstream) => {
      const answer = await upstream.post('/v1/chat/completions', {});
      assert.equal(answer.headers.get('retry-after'), '86400');
    });
  });

  it('keeps a route down for a span of time, counted since the faults were set', () => {
    const faults = faultPlanSchema.parse({
      chat: { faults: [{ kind: 'status', status: 503, during: { afterMs: 100, forMs: 60_000 } }] },
    });
    assert.ok(faults.chat);
    const question = {
      seed: 1,
      route: 'chat',
      callId: 'a',
      attempt: 1,
      earlierRequests: 0,
    } as const;
    const chat = faults.chat;
    const isDown = [0, 99, 100, 60_099, 60_100].map(
      (elapsedMs) => decideFault({ ...question, elapsedMs, faults: chat }).fault !== undefined,
    );
    assert.deepEqual(isDown, [false, false, true, true, false]);
  });
});

type Misbehaviour = Extract<
  NonNullable<NonNullable<FaultPlanInput['chat']>['faults']>[number],
  { readonly kind: 'misbehave' }
>['how'];

async function talk(how: Misbehaviour): Promise<readonly Turn[]> {
  let turns: readonly Turn[] = [];
  await withUpstream(
    { faults: { chat: { faults: [{ kind: 'misbehave', how }] } } },
    async (upstream) => {
      turns = await converse(upstream, { ticket, results: () => ({ ok: true }), turns: 5 });
    },
  );
  return turns;
}
