import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import { type LoopRig, shown, startLoopRig } from '../support/loop-rig.js';
import { send, waitingOf } from '../support/people-rig.js';

const large = { name: 'pay_order', input: { orderId: 'B2', amountCents: 90_000 } };

/** Decides of the one call that waits, as soon as it does. */
async function decide(
  handle: WorkflowHandle,
  word: { readonly approve: boolean; readonly note?: string },
): Promise<void> {
  const [{ callId, fingerprint }] = await waitingOf(handle, 'approvals');
  await send(handle, 'decide', { callId, fingerprint, by: 'kim', ...word });
}

describe('an agent loop', () => {
  let rig: LoopRig;
  before(async () => {
    rig = await startLoopRig();
  });
  after(() => rig.stop());

  it('lets the model call tools until it answers', async () => {
    rig.say('once', ({ number }) =>
      number === 0
        ? { calls: [{ name: 'find_article', input: { query: 'parcel' } }] }
        : { text: 'It comes tomorrow.' },
    );
    const { kind, text, turns, effects, workflowId } = await rig.result('agentLoop', 'once');
    const end = { kind: 'ok', text: 'It comes tomorrow.', turns: 2, effects: [] };
    assert.deepEqual({ kind, text, turns, effects }, end);
    const [first, second] = rig.asked(workflowId);
    assert.deepEqual(
      first?.messages.map(({ role }) => role),
      ['system', 'user'],
    );
    assert.deepEqual(shown(second?.messages ?? []), [{ found: 'parcel....' }]);
    const names = ['find_article', 'count_stock', 'flaky', 'picky', 'pay_order'];
    assert.deepEqual(
      first?.tools?.map(({ name }) => name),
      names,
    );
    assert.deepEqual(second?.tools, first?.tools);
  });

  it('makes the calls of one answer at once, and equal ones once', async () => {
    const query = (text: string) => ({ name: 'find_article', input: { query: text } });
    rig.say('parallel', ({ number }) =>
      number === 0 ? { calls: [query('a'), query('b'), query('a')] } : { text: 'done' },
    );
    const { workflowId, turns } = await rig.result('agentLoop', 'parallel');
    assert.equal(turns, 2);
    assert.equal(rig.made(workflowId, 'find_article'), 2);
    const results = shown(rig.asked(workflowId)[1]?.messages ?? []);
    assert.equal(results.length, 3);
    assert.deepEqual((results[2] as { result: unknown }).result, results[0]);
  });

  for (const [name, call, told] of [
    ['an unknown tool', { name: 'teleport', input: {} }, /There is no tool teleport/],
    ['wrong arguments', { name: 'find_article', input: { query: 7 } }, /find_article\.query/],
    ['broken JSON', { name: 'find_article', input: '{"query":', invalid: 'no end' }, /are no JSON/],
  ] as const) {
    it(`tells the model of ${name}, and counts no failure`, async () => {
      rig.say('bad', ({ number }) => (number === 0 ? { calls: [call] } : { text: 'sorry' }));
      const { kind, report, workflowId } = await rig.result('agentLoop', 'bad');
      assert.equal(kind, 'ok');
      assert.deepEqual(
        { failed: report.counts.failed, calls: report.calls },
        { failed: 0, calls: 2 },
      );
      const [result] = shown(rig.asked(workflowId)[1]?.messages ?? []);
      assert.match(JSON.stringify(result), told);
    });
  }

  it('answers a read that the model repeats from before, and counts its tokens as wasted', async () => {
    rig.say('again', ({ number }) =>
      number < 3
        ? { calls: [{ name: 'find_article', input: { query: 'same' } }] }
        : { text: 'enough' },
    );
    const { report, turns, workflowId } = await rig.result('agentLoop', 'again');
    assert.equal(rig.made(workflowId, 'find_article'), 1);
    assert.equal(turns, 4);
    assert.deepEqual(report.tokens, { useful: 200, wasted: 200 });
  });

  it('runs a repeated read of a fresh tool as a retry, while there are any', async () => {
    rig.say('fresh', ({ number }) =>
      number < 4
        ? { calls: [{ name: 'count_stock', input: { item: 'kettle' } }] }
        : { text: 'enough' },
    );
    const { report, workflowId } = await rig.result('agentLoop', 'fresh');
    // Two retries in all, one of them held back for the last answer.
    assert.equal(rig.made(workflowId, 'count_stock'), 2);
    assert.equal(report.pool.spent, 1);
    const results = shown(rig.asked(workflowId)[4]?.messages ?? []);
    const refused = { error: { kind: 'rejected', reason: 'retry-budget', retryAfterMs: null } };
    assert.deepEqual(results, [1, 2, refused, refused]);
  });

  it('tells the model of a failure as a value with alternatives, without its text', async () => {
    rig.say('exhausted', ({ number }) =>
      number === 0 ? { calls: [{ name: 'flaky', input: { query: 'x' } }] } : { text: 'sorry' },
    );
    const { kind, workflowId } = await rig.result('agentLoop', 'exhausted');
    assert.equal(kind, 'ok');
    assert.deepEqual(shown(rig.asked(workflowId)[1]?.messages ?? []), [
      {
        error: {
          kind: 'exhausted',
          class: 'server',
          reason: 'attempts',
          attempts: 1,
          effectMayHaveHappened: false,
          alternatives: ['find_article'],
          retryAfterMs: null,
        },
      },
    ]);
  });

  it('keeps one entry of an exhausted tool in the conversation, and each refusal of a single call', async () => {
    rig.say('entries', ({ number }) => {
      const calls = [
        { name: 'flaky', input: { query: `q${number}` } },
        { name: 'picky', input: { orderId: `${number}` } },
      ];
      return number < 3 ? { calls } : { text: 'enough' };
    });
    const { workflowId } = await rig.result('agentLoop', 'entries');
    const { messages = [] } = rig.asked(workflowId)[3] ?? {};
    const results = messages.flatMap((message) =>
      message.role === 'tool' ? [message.toolName] : [],
    );
    assert.deepEqual(results.sort(), ['flaky', 'picky', 'picky', 'picky']);
    const called = messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []) : [],
    );
    const answered = messages.flatMap((message) =>
      message.role === 'tool' ? [message.toolCallId] : [],
    );
    assert.deepEqual(called.map(({ id }) => id).sort(), answered.sort());
  });

  it('refunds once, however often the model asks for it in other words', async () => {
    rig.say('pay_order', ({ number }) =>
      number < 3
        ? { calls: [{ name: 'pay_order', input: { orderId: 'A1', amountCents: 500 + number } }] }
        : { text: 'refunded' },
    );
    const { effects, workflowId } = await rig.result('agentLoop', 'pay_order');
    assert.equal(rig.made(workflowId, 'pay_order'), 1);
    const input = { orderId: 'A1', amountCents: 500 };
    assert.equal(effects.length, 1);
    assert.deepEqual([effects[0]?.kind, effects[0]?.input], ['ok', input]);
  });

  it('waits for a person where the tool says so, and tells the model of a no', async () => {
    rig.say('large', ({ number }) => (number === 0 ? { calls: [large] } : { text: 'not allowed' }));
    const handle = await rig.start('agentLoop', 'large');
    await decide(handle, { approve: false, note: 'too much' });
    const { effects } = await handle.result();
    assert.equal(rig.made(handle.workflowId, 'pay_order'), 0);
    assert.equal(effects[0].kind, 'denied');
    const [result] = shown(rig.asked(handle.workflowId)[1]?.messages ?? []);
    assert.match(JSON.stringify(result), /"kind":"denied".*too much/);
  });

  it('asks nobody again for a call that was allowed and made', async () => {
    rig.say('allowed', ({ number }) => (number < 2 ? { calls: [large] } : { text: 'paid' }));
    const handle = await rig.start('agentLoop', 'allowed');
    await decide(handle, { approve: true });
    const { kind } = await handle.result();
    assert.equal(kind, 'ok');
    assert.equal(rig.made(handle.workflowId, 'pay_order'), 1);
    const [first, second] = shown(rig.asked(handle.workflowId)[2]?.messages ?? []);
    assert.deepEqual((second as { result: unknown }).result, first);
  });

  it('refuses options and tasks that are wrong before anything is scheduled', async () => {
    for (const [workflow, task] of [
      ['wrongLoop', {}],
      ['agentLoop', { prompt: undefined }],
      ['agentLoop', { messages: [{ role: 'user', content: 'both' }] }],
    ] as const) {
      const handle = await rig.start(workflow, 'once', task);
      await assert.rejects(handle.result(), (error: { cause?: { type?: string } }) => {
        assert.equal(error.cause?.type, 'invalid-request');
        return true;
      });
    }
  });

  it('runs inside a user’s own workflow', async () => {
    rig.say('own', ({ number }) =>
      number === 0
        ? { calls: [{ name: 'find_article', input: { query: 'own' } }] }
        : { text: 'found' },
    );
    const handle = await rig.client.workflow.start('ownWorkflow', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('own'),
      args: ['own'],
    });
    const { kind, text } = await handle.result();
    assert.deepEqual({ kind, text }, { kind: 'ok', text: 'found' });
  });

  it('goes on where the policy passes everything through', async () => {
    rig.say('off', ({ number }) =>
      number === 0
        ? { calls: [{ name: 'find_article', input: { query: 'off' } }] }
        : { text: 'found' },
    );
    const { kind, text, workflowId } = await rig.result('offLoop', 'off');
    assert.deepEqual({ kind, text }, { kind: 'ok', text: 'found' });
    assert.deepEqual(shown(rig.asked(workflowId)[1]?.messages ?? []), [{ found: 'off.......' }]);
  });
});
