import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Feature, Outcome, RunReport, TaskResult } from 'holdfast/contract';
import { type Rig, startRig } from '../support/rig.js';
import { until } from '../support/until.js';
import { degradingImplementations } from './fixture/degrading-implementations.js';
import type { Degrading } from './fixture/degrading-workflows.js';

type Done = { readonly outcomes: readonly Outcome<unknown>[]; readonly report: RunReport };

let rig: Rig;

before(async () => {
  rig = await startRig({
    workflows: 'test/workflows/fixture/degrading-workflows.js',
    implementations: degradingImplementations(),
    dynamicConfig: { 'history.transferProcessorMaxPollRPS': '2000' },
  });
});
after(() => rig.stop());

function run(...calls: Degrading['calls']): Promise<Done> {
  return execute({ calls });
}

function execute(wanted: Degrading): Promise<Done> {
  const { client, taskQueue } = rig;
  return client.workflow.execute('degrades', {
    taskQueue,
    workflowId: rig.id('degrades'),
    args: [wanted],
  });
}

describe('a tool that can’t answer', () => {
  it('is stood in for by the first characters of its input, none of them cut in two', async () => {
    const { outcomes } = await run({ tool: 'sumUp', body: 'ab🫖🫖cdefgh' });
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'degraded');
    assert.equal(outcome.value, 'ab🫖🫖cd');
    assert.deepEqual(
      [outcome.from, outcome.to, outcome.reason],
      ['sum_up', 'truncate', 'attempts'],
    );
  });

  it('is stood in for by a rule, whose answer is marked', async () => {
    const { outcomes } = await run({ tool: 'classify', body: 'Where is it?' });
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'degraded');
    assert.deepEqual(outcome.value, { label: 'question', confidence: 'auto' });
    assert.equal(outcome.to, 'rule');
  });

  it('stays unanswered where it is disabled, and its report says what a user may be told', async () => {
    const { outcomes, report } = await run({ tool: 'compose', body: '' });
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'exhausted');
    assert.deepEqual(outcome.report.disabled, {
      from: 'compose',
      to: 'disabled',
      reason: outcome.report.reason,
      message: 'Writing is not possible at the moment.',
    });
    assert.equal(report.counts.exhausted, 1);
    assert.equal(report.counts.degraded, 0);
  });

  it('is stood in for by the first of several ways that has an answer', async () => {
    const { outcomes } = await run({ tool: 'reply', body: '' });
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'degraded');
    assert.deepEqual(outcome.value, { text: 'We are busy: a person will answer.' });
    assert.equal(outcome.to, 'text');
  });

  it('is counted with what stood in, over continue-as-new too', async () => {
    const { report } = await execute({
      again: true,
      calls: [
        { tool: 'sumUp', body: 'one' },
        { tool: 'reply', body: 'two' },
        { tool: 'classify', body: 'three', isUp: true },
      ],
    });
    assert.deepEqual(report.aiFallback, {
      sum_up: { truncate: 2 },
      compose: { disabled: 2 },
      reply: { text: 2 },
    });
  });
});

describe('a step of a task', () => {
  const ticket = { ticket: { body: 'The kettle is broken' } };

  it('brings ways of its own as plain JSON, in their order', async () => {
    const { client, taskQueue } = rig;
    const result: TaskResult = await client.workflow.execute('degradingTask', {
      taskQueue,
      workflowId: rig.id('task'),
      args: [
        {
          steps: [
            {
              id: 'text',
              tool: 'reply',
              input: ticket,
              fallback: [
                { tool: 'compose' },
                { truncate: { field: 'ticket.body', characters: 10 } },
              ],
            },
            {
              id: 'none',
              tool: 'sum_up',
              input: ticket,
              required: false,
              fallback: { disabled: 'No summaries today.' },
            },
          ],
        },
      ],
    });
    assert.equal(result.kind, 'partial');
    assert.deepEqual(result.steps[0]?.value, { text: 'The kettle' });
    assert.equal(result.steps[1]?.kind, 'exhausted');
  });
});

describe('holdfast.features', () => {
  async function featuresAfter(
    wanted: Degrading,
    lines = wanted.calls.length,
  ): Promise<readonly Feature[]> {
    const { client, taskQueue } = rig;
    const handle = await client.workflow.start('degrades', {
      taskQueue,
      workflowId: rig.id('features'),
      args: [{ ...wanted, stays: true }],
    });
    let report: RunReport | null = null;
    await until(async () => {
      report = await handle.query<RunReport | null>('holdfast.report');
      return (report?.lines.length ?? 0) >= lines;
    });
    const features = await handle.query<readonly Feature[]>('holdfast.features');
    await handle.terminate();
    return features;
  }

  it('says that every tool is available while nothing failed', async () => {
    const features = await featuresAfter({
      calls: [{ tool: 'sumUp', body: '', isUp: true }],
    });
    assert.deepEqual([...new Set(features.map(({ state }) => state))], ['available']);
    assert.equal(features.length, 5);
  });

  it('says what stands in for a tool whose breaker is open, and what a page may say without', async () => {
    const features = await featuresAfter({
      calls: (['sumUp', 'classify', 'compose', 'weigh'] as const).map((tool) => ({
        tool,
        body: '',
      })),
    });
    assert.deepEqual(features, [
      { tool: 'sum_up', state: 'degraded', to: 'truncate' },
      { tool: 'classify', state: 'degraded', to: 'rule' },
      {
        tool: 'compose',
        state: 'disabled',
        message: 'Writing is not possible at the moment.',
      },
      { tool: 'reply', state: 'available' },
      { tool: 'weigh', state: 'disabled' },
    ]);
  });

  it('names the way that is left where the tool that would stand in is down itself', async () => {
    const features = await featuresAfter({ calls: [{ tool: 'reply', body: '' }] }, 2);
    const reply = features.find(({ tool }) => tool === 'reply');
    assert.deepEqual(reply, { tool: 'reply', state: 'degraded', to: 'rule' });
  });

  it('says that a fallback is near once the run’s retries are used up', async () => {
    const features = await featuresAfter({
      policy: { globalRetryBudget: 1, breaker: { consecutiveFailureThreshold: 3 } },
      calls: [{ tool: 'sumUp', body: '' }],
    });
    const states = features.map(({ tool, state }) => [tool, state]);
    assert.deepEqual(states, [
      ['sum_up', 'degraded'],
      ['classify', 'degraded'],
      ['compose', 'available'],
      ['reply', 'degraded'],
      ['weigh', 'available'],
    ]);
  });

  it('changes nothing in mode observe, where every call is let through', async () => {
    const features = await featuresAfter({
      policy: { mode: 'observe' },
      calls: [{ tool: 'weigh', body: '' }],
    });
    assert.equal(features.find(({ tool }) => tool === 'weigh')?.state, 'available');
  });
});
