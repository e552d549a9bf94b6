import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { CancelledFailure } from '@temporalio/client';
import type { RunState } from 'holdfast/contract';
import { replayState } from 'holdfast/testing';
import { type LoopRig, shown, startLoopRig } from '../support/loop-rig.js';
import type { Asked, Said } from './fixture/scripts.js';

/** A model that never comes to an end by itself. */
const endless = ({ number, toolChoice }: Asked): Said =>
  toolChoice === 'none'
    ? { text: `I found ${number} things and did nothing else.` }
    : { calls: [{ name: 'find_article', input: { query: `q${number}` } }] };

describe('the limits of an agent loop', () => {
  let rig: LoopRig;
  before(async () => {
    rig = await startLoopRig({
      dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': '150' },
    });
  });
  after(() => rig.stop());

  it('lets the model give its last answer as the last of its turns', async () => {
    rig.say('endless', endless);
    const result = await rig.result('shortLoop', 'endless');
    const { kind, text, turns, workflowId } = result;
    const end = { kind: 'limited', text: 'I found 2 things and did nothing else.', turns: 3 };
    assert.deepEqual({ kind, text, turns }, end);
    assert.equal(result.kind === 'limited' && result.reason, 'turns');
    const last = rig.asked(workflowId)[2];
    assert.equal(last?.toolChoice, 'none');
    assert.match(JSON.stringify(last?.messages.at(-1)), /No tool can be called any more/);
  });

  it('says itself what was done where the model only goes on calling', async () => {
    rig.say('stubborn', ({ number }) =>
      number === 0
        ? { calls: [{ name: 'pay_order', input: { orderId: 'C3', amountCents: 5 } }] }
        : { calls: [{ name: 'find_article', input: { query: `q${number}` } }] },
    );
    const { kind, text } = await rig.result('shortLoop', 'stubborn');
    assert.equal(kind, 'degraded');
    assert.match(text, /Done: pay_order\./);
  });

  it('ends before its tokens do', async () => {
    rig.say('endless', endless);
    const result = await rig.result('tokenLoop', 'endless');
    assert.equal(result.kind === 'limited' && result.reason, 'tokens');
    assert.ok(result.tokens <= 350, `${result.tokens} tokens`);
  });

  it('ends before its money does', async () => {
    rig.say('dear', (asked) => ({ ...endless(asked), priced: 'dear' }));
    const result = await rig.result('costLoop', 'dear');
    assert.equal(result.kind === 'limited' && result.reason, 'cost');
    assert.deepEqual([result.turns, result.cost], [3, 3_000]);
  });

  it('calls no cost known where a price is not', async () => {
    rig.say('unpriced', (asked) => ({ ...endless(asked), priced: 'of which nobody knows' }));
    const result = await rig.result('shortLoop', 'unpriced');
    assert.equal(result.cost, null);
  });

  it('keeps time for the last answer from its deadline', async () => {
    rig.say('slow', async (asked) => {
      if (asked.toolChoice !== 'none') await pause(700);
      return endless(asked);
    });
    const result = await rig.result('hastyLoop', 'slow', { deadlineMs: 10_000 });
    assert.equal(result.kind === 'limited' && result.reason, 'deadline');
  });

  it('answers with the model’s text where the model can’t', async () => {
    rig.say('down', () => {
      throw Object.assign(new Error('overloaded'), { status: 503 });
    });
    const result = await rig.result('textLoop', 'down');
    const { kind, text } = result;
    assert.deepEqual(
      { kind, text },
      { kind: 'degraded', text: 'We are busy: a person will answer.' },
    );
    const how = { from: 'with-text', to: 'text', reason: 'attempts' } as const;
    assert.deepEqual(result.fallbacks, [how]);
  });

  it('goes on with another model where the first can’t, and says so', async () => {
    rig.say('other', ({ model, number }) => {
      if (model === 'with-other') throw Object.assign(new Error('down'), { status: 503 });
      return number < 3
        ? { calls: [{ name: 'find_article', input: { query: 'x' } }] }
        : { text: 'yes' };
    });
    const { kind, text, fallbacks } = await rig.result('otherModelLoop', 'other');
    assert.deepEqual({ kind, text }, { kind: 'ok', text: 'yes' });
    assert.deepEqual(fallbacks[0], { from: 'with-other', to: 'scripted', reason: 'attempts' });
  });

  it('says what nobody answered where no model does', async () => {
    rig.say('dead', () => {
      throw Object.assign(new Error('down'), { status: 503 });
    });
    const result = await rig.result('agentLoop', 'dead');
    assert.equal(result.kind, 'degraded');
    assert.match(result.text, /Nothing was changed/);
  });

  it('keeps failed attempts out of the conversation', async () => {
    let failures = 1;
    rig.say('stumbling', ({ messages }) => {
      if (failures-- > 0) throw Object.assign(new Error('down'), { status: 503 });
      return { text: `${messages.length} messages` };
    });
    const { text, report } = await rig.result('agentLoop', 'stumbling');
    assert.equal(text, '2 messages');
    assert.equal(report.retries, 1);
  });

  it('slows down over calls that are all rejected, at no turn’s cost, and withdraws the tool', async () => {
    rig.say('dead-tool', ({ number, tools = [] }) => {
      const isThere = tools.some(({ name }) => name === 'flaky');
      if (!isThere) return { text: `gone after ${number}` };
      return { calls: [{ name: 'flaky', input: { query: `q${number}` } }] };
    });
    const { kind, text, turns, report, workflowId } = await rig.result('flakyLoop', 'dead-tool');
    // Three failures open the breaker; two more calls are rejected.
    assert.equal(rig.made(workflowId, 'flaky'), 3);
    assert.equal(report.counts.rejected, 2);
    assert.deepEqual({ kind, text, turns }, { kind: 'ok', text: 'gone after 5', turns: 4 });
    const handle = rig.client.workflow.getHandle(workflowId);
    const { events } = await handle.fetchHistory();
    const timers = events?.filter(({ timerStartedEventAttributes: timer }) => timer != null) ?? [];
    const waits = timers.map(({ timerStartedEventAttributes: timer }) =>
      Number(timer?.startToFireTimeout?.seconds),
    );
    assert.equal(waits.length, 2);
    assert.ok(waits.every((seconds) => seconds >= 1));
    assert.equal(shown(rig.asked(workflowId)[5]?.messages ?? []).length, 1);
  });

  it('goes on in another run where its history grows long, with all that it knew', async () => {
    rig.say('long', ({ number, messages }) => {
      if (number < 17) return { calls: [{ name: 'find_article', input: { query: `q${number}` } }] };
      if (number === 17) return { calls: [{ name: 'find_article', input: { query: 'q0' } }] };
      return { text: `${shown(messages).length} results` };
    });
    const { kind, text, turns, report, workflowId } = await rig.result('agentLoop', 'long');
    assert.deepEqual({ kind, text, turns }, { kind: 'ok', text: '18 results', turns: 19 });
    assert.equal(rig.made(workflowId, 'find_article'), 17);
    assert.deepEqual(report.pool, { total: 2, spent: 0, reserved: 0 });
    const state = await rig.client.workflow.getHandle(workflowId).query<RunState>('holdfast.state');
    assert.ok(state.run > 1, `run ${state.run}`);
    const history = await rig.client.workflow.getHandle(workflowId).fetchHistory();
    const { plugin, bundle: workflowBundle } = rig;
    const replayed = await replayState({ plugin, workflowBundle, history, workflowId });
    assert.deepEqual(replayed, state);
  });

  it('keeps a retry for the last answer, whatever was spent before', async () => {
    let failures = 1;
    rig.say('spent', ({ number, toolChoice }) => {
      if (toolChoice !== 'none') return { calls: [{ name: 'count_stock', input: { item: 'x' } }] };
      if (failures-- > 0) throw Object.assign(new Error('down'), { status: 503 });
      return { text: `counted before turn ${number}` };
    });
    const result = await rig.result('shortLoop', 'spent');
    assert.equal(result.kind === 'limited' && result.reason, 'turns');
    assert.deepEqual(result.report.pool, { total: 2, spent: 2, reserved: 0 });
    assert.equal(result.report.lines.at(-1)?.step, 'last-answer');
  });

  it('leaves a tool that hangs behind in time for its last answer', async () => {
    rig.say('hanging', ({ toolChoice }) =>
      toolChoice === 'none'
        ? { text: 'The search did not answer.' }
        : { calls: [{ name: 'find_article', input: { query: 'hang' } }] },
    );
    const result = await rig.result('hastyLoop', 'hanging', { deadlineMs: 8_000 });
    assert.equal(result.kind === 'limited' && result.reason, 'deadline');
    assert.equal(result.text, 'The search did not answer.');
  });

  it('ends cancelled where it is cancelled', async () => {
    rig.say('cancelled', () => ({ calls: [{ name: 'find_article', input: { query: 'hang' } }] }));
    const handle = await rig.start('agentLoop', 'cancelled');
    while (rig.made(handle.workflowId, 'find_article') === 0) await pause(20);
    await handle.cancel();
    await assert.rejects(handle.result(), (error: { cause?: unknown }) => {
      assert.ok(error.cause instanceof CancelledFailure);
      return true;
    });
  });
});
