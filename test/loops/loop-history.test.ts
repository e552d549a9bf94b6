import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { holdfast } from 'holdfast';
import { type LoopRig, shown, startLoopRig } from '../support/loop-rig.js';

const MEBIBYTE = 1024 * 1024;

describe('the history of an agent loop', () => {
  let rig: LoopRig;
  before(async () => {
    rig = await startLoopRig();
  });
  after(() => rig.stop());

  it('stays under 5 MB over a hundred turns of 30 kB', async () => {
    rig.say('hundred', ({ number, messages }) =>
      number < 100
        ? {
            text: 'thinking',
            calls: [{ name: 'find_article', input: { query: `q${number}:30000` } }],
          }
        : { text: `${JSON.stringify(shown(messages)).length} characters` },
    );
    const { text, turns, workflowId } = await rig.result('longLoop', 'hundred');
    assert.equal(turns, 101);
    assert.ok(Number.parseInt(text, 10) > 100 * 30_000, text);
    const { historySize = 0 } = await rig.client.workflow.getHandle(workflowId).describe();
    assert.ok(historySize > 0 && historySize < 5 * MEBIBYTE, `${historySize} bytes`);
  });

  it('names the tools by a hash once they were sent', async () => {
    rig.say('hash', ({ number }) =>
      number < 3
        ? { calls: [{ name: 'find_article', input: { query: `q${number}` } }] }
        : { text: 'ok' },
    );
    const { workflowId } = await rig.result('agentLoop', 'hash');
    const { events } = await rig.client.workflow.getHandle(workflowId).fetchHistory();
    const inputs = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityType?.name === 'model_generate'
        ? [Buffer.from(scheduled.input?.payloads?.[0]?.data ?? []).toString()]
        : [],
    );
    assert.deepEqual(
      inputs.map((input) => input.includes('inputSchema')),
      [true, false, false, false],
    );
  });

  it('sends the tools again where the store has lost them', async () => {
    rig.say('lost', ({ number, tools = [], messages }) => {
      if (number > 0) return { text: `${tools.length} tools, ${shown(messages).length} result` };
      rig.store.forget('%inputSchema%');
      return { calls: [{ name: 'find_article', input: { query: 'a' } }] };
    });
    const { kind, text } = await rig.result('agentLoop', 'lost');
    assert.deepEqual({ kind, text }, { kind: 'ok', text: '5 tools, 1 result' });
  });

  it('ends with a truthful answer where the store has lost the conversation', async () => {
    rig.say('amnesia', ({ number }) => {
      if (number > 0) rig.store.forget('%');
      return { calls: [{ name: 'pay_order', input: { orderId: 'D4', amountCents: 5 } }] };
    });
    const { kind, text } = await rig.result('agentLoop', 'amnesia');
    assert.equal(kind, 'degraded');
    assert.match(text, /Done: pay_order\./);
  });

  it('tells two calls apart to which the model gave one id', async () => {
    rig.say('ids', ({ number }) =>
      number < 2
        ? { calls: [{ id: 'call', name: 'find_article', input: { query: `q${number}` } }] }
        : { text: 'ok' },
    );
    const { workflowId } = await rig.result('agentLoop', 'ids');
    const { messages = [] } = rig.asked(workflowId)[2] ?? {};
    const ids = messages.flatMap((message) =>
      message.role === 'tool' ? [message.toolCallId] : [],
    );
    assert.deepEqual(ids, ['call', 'call_2']);
  });

  it('waits for a store that gives no answer, at the cost of no retry', async () => {
    rig.say('outage', ({ number }) => {
      if (number > 0) return { text: 'ok' };
      // The answer is put three times and more in its attempt; the tool's result comes after that.
      rig.store.failNext(2);
      return { calls: [{ name: 'find_article', input: { query: 'a' } }] };
    });
    const handle = await rig.start('agentLoop', 'outage');
    const { kind, report } = await handle.result();
    const { retries, pool, attempts } = report;
    assert.deepEqual(
      { kind, retries, spent: pool.spent, attempts },
      {
        kind: 'ok',
        retries: 0,
        spent: 0,
        attempts: 3,
      },
    );
  });

  it('gives its slot back where the store stays away before the model is asked', async () => {
    rig.say('away', ({ number }) => {
      if (number > 0) return { text: 'ok' };
      return { calls: [{ name: 'find_article', input: { query: 'a' } }] };
    });
    rig.store.failNext(1);
    const handle = await rig.start('agentLoop', 'away');
    const { kind, report } = await handle.result();
    assert.deepEqual({ kind, retries: report.retries }, { kind: 'ok', retries: 0 });
    const { events } = await handle.fetchHistory();
    assert.equal(events?.filter((event) => event.timerStartedEventAttributes).length, 1);
  });

  it('refuses a worker without a store by name', async () => {
    const reads = rig.implementations.filter(({ tool }) => tool.effect === 'read');
    const lone = holdfast({ implementations: reads });
    const taskQueue = rig.id('lone');
    const worker = await rig.startWorker({ taskQueue, plugins: [lone] });
    const handle = await rig.client.workflow.start('agentLoop', {
      taskQueue,
      workflowId: rig.id('lone'),
      args: [{ prompt: 'hash' }],
    });
    const { kind, reason } = await handle.result();
    assert.deepEqual({ kind, reason }, { kind: 'degraded', reason: 'not-retryable' });
    const { events } = await handle.fetchHistory();
    assert.match(JSON.stringify(events), /pass it as holdfast\(\{ conversations \}\)/);
    await worker.stop();
  });
});
