import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TaskResult } from 'holdfast/contract';
import { implementModels } from 'holdfast/models';
import { type ModelServer, type ModelTurn, startModelServer } from '../support/model-server.js';
import { type Rig, startRig } from '../support/rig.js';
import type { Asked, Asking } from './fixture/model-workflows.js';

const names = ['plain', 'fast', 'slow', 'left', 'right'] as const;
type Name = (typeof names)[number];

const down: ModelTurn = { status: 503, body: { error: { message: 'down' } } };
const nothing: ModelTurn = { text: '' }; // an answer of 120 tokens that says nothing
const fine: ModelTurn = { text: 'Fine.' };

let rig: Rig;
let servers: Readonly<Record<Name, ModelServer>>;
/** What each model does; a test says it before it runs. */
let playing: Partial<Record<Name, readonly ModelTurn[]>> = {};

before(async () => {
  const started = names.map(async (name) => {
    const turn = (): ModelTurn => playing[name]?.[0] ?? fine;
    return [name, await startModelServer(turn)] as const;
  });
  servers = Object.fromEntries(await Promise.all(started)) as typeof servers; // one for each name
  rig = await startRig({
    workflows: 'test/workflows/fixture/model-workflows.js',
    implementations: [
      implementModels({
        models: Object.fromEntries(
          names.map((name) => [
            name,
            { provider: 'openai-compatible', model: name, baseUrl: servers[name].url },
          ]),
        ),
        prices: { plain: { input: 1_000_000, output: 10_000_000 } },
      }),
    ],
  });
});
after(async () => {
  await rig.stop();
  await Promise.all(names.map((name) => servers[name].stop()));
});

/** Runs a workflow while the models play; returns what came of it, and how often each was asked. */
async function ask(
  plan: Asking,
  turns: typeof playing = {},
): Promise<Asked & { readonly sent: Readonly<Partial<Record<Name, number>>> }> {
  playing = turns;
  const counted = names.map((name) => [name, servers[name].requests.length] as const);
  const asked: Asked = await rig.client.workflow.execute('asking', {
    taskQueue: rig.taskQueue,
    workflowId: rig.id('asking'),
    args: [plan],
  });
  const sent = counted
    .map(([name, earlier]) => [name, servers[name].requests.length - earlier] as const)
    .filter(([, requests]) => requests > 0);
  return { ...asked, sent: Object.fromEntries(sent) };
}

describe('a model in a run', () => {
  it('sends one request for each attempt that the plan gives it', async () => {
    const { outcomes, sent } = await ask({ calls: [{ model: 'plain' }] }, { plain: [down] });
    const [outcome] = outcomes;
    assert.equal(outcome?.kind, 'exhausted');
    assert.equal(outcome?.report.attempts, 3);
    assert.deepEqual(sent, { plain: 3 });
  });

  it('goes by its own name in reports and is sent the provider’s', async () => {
    const { outcomes, report } = await ask({ calls: [{ model: 'plain' }, { model: 'left' }] });
    assert.deepEqual(
      outcomes.map(({ kind, report: { tool, downstream } }) => [kind, tool, downstream]),
      [
        ['ok', 'plain', 'model:plain'],
        ['ok', 'left', 'model:left'],
      ],
    );
    assert.deepEqual(
      report.lines.map(({ tool }) => tool),
      ['plain', 'left'],
    );
    assert.equal(servers.plain.requests.at(-1)?.body.model, 'plain');
  });

  it('is answered for by another model, and the outcome says by which and why', async () => {
    const { outcomes, sent } = await ask({ calls: [{ model: 'fast' }] }, { fast: [down] });
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'degraded');
    assert.deepEqual(
      [outcome.from, outcome.to, outcome.reason, outcome.value.model],
      ['fast', 'slow', 'attempts', 'slow'],
    );
    assert.deepEqual(sent, { fast: 3, slow: 1 });
  });

  it('is answered for by a text where the other model is down as well', async () => {
    const turns = { fast: [down], slow: [down] };
    const { outcomes } = await ask({ calls: [{ model: 'fast' }] }, turns);
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'degraded');
    assert.equal(outcome.value.text, 'We are busy.');
    assert.equal(outcome.value.model, null);
  });

  it('asks no model twice where two stand in for each other', async () => {
    const turns = { left: [down], right: [down] };
    const once = { policy: { maxAttempts: 1 }, calls: [{ model: 'right' }] } as const;
    const { outcomes, sent } = await ask(once, turns);
    assert.equal(outcomes[0]?.kind, 'exhausted');
    assert.deepEqual(sent, { left: 1, right: 1 });
  });

  it('is a step of a task by its own name, under what the policy says of that name', async () => {
    playing = { plain: [down] };
    const earlier = servers.plain.requests.length;
    const steps = [
      {
        id: 'one',
        tool: 'plain',
        input: { messages: [{ role: 'user', content: 'Hi' }] },
        required: false,
      },
      { id: 'two', tool: 'fast', input: { messages: [{ role: 'user', content: 'Hi' }] } },
    ];
    const result: TaskResult = await rig.client.workflow.execute('modelTask', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('model-task'),
      args: [{ steps }],
    });
    assert.deepEqual(
      result.steps.map(({ tool, kind }) => [tool, kind]),
      [
        ['plain', 'exhausted'],
        ['fast', 'ok'],
      ],
    );
    assert.equal(servers.plain.requests.length - earlier, 1);
  });
});

describe('what models cost a run', () => {
  it('is useful for what was answered and wasted for what failed', async () => {
    const { report, outcomes } = await ask({
      policy: { tokens: { target: 10_000, retryPercent: 10 } },
      calls: [{ model: 'plain' }],
    });
    assert.deepEqual(outcomes[0]?.report.cost, { useful: 300, wasted: 0 });
    assert.deepEqual(report.cost, { usefulMicros: 300, wastedMicros: 0, unpricedAttempts: 0 });
    const failed = await ask({ calls: [{ model: 'plain' }] }, { plain: [nothing] });
    assert.deepEqual(failed.outcomes[0]?.report.tokens, { useful: 0, wasted: 360 });
    assert.deepEqual(failed.report.cost, {
      usefulMicros: 0,
      wastedMicros: 900,
      unpricedAttempts: 0,
    });
  });

  it('is null where a model has no price, and counted', async () => {
    const { report, outcomes } = await ask({ calls: [{ model: 'left' }, { model: 'plain' }] });
    assert.deepEqual(outcomes[0]?.report.cost, { useful: null, wasted: 0, unpricedAttempts: 1 });
    assert.deepEqual(report.cost, { usefulMicros: 300, wastedMicros: 0, unpricedAttempts: 1 });
  });

  it('is carried over a run that continues as new', async () => {
    const { report } = await ask({ again: 2, calls: [{ model: 'plain' }] });
    assert.deepEqual(report.cost, { usefulMicros: 900, wastedMicros: 0, unpricedAttempts: 0 });
  });

  it('stands in the details of the run', async () => {
    playing = {};
    const handle = await rig.client.workflow.start('asking', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('asking'),
      args: [{ calls: [{ model: 'plain' }, { model: 'left' }] } satisfies Asking],
    });
    await handle.result();
    type Metadata = { readonly currentDetails?: string };
    const { currentDetails } = await handle.query<Metadata>('__temporal_workflow_metadata');
    assert.match(
      String(currentDetails),
      /240 tokens useful, 0 wasted; cost 0\.000300 useful, 0\.000000 wasted, and 1 attempts without a price/,
    );
  });
});

describe('the tokens of failed attempts', () => {
  const small = { tokens: { target: 1_000, retryPercent: 10 } } as const;

  it('stop the retries of a model once they are used up, and the outcome says so', async () => {
    const { outcomes, sent } = await ask(
      { policy: small, calls: [{ model: 'plain' }] },
      { plain: [nothing] },
    );
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'exhausted');
    assert.equal(outcome.report.reason, 'token-budget');
    assert.deepEqual(sent, { plain: 1 });
  });

  it('leave a later call of a model without a retry, whatever it fails of', async () => {
    const { outcomes, sent } = await ask(
      { policy: small, calls: [{ model: 'plain' }, { model: 'left' }] },
      { plain: [nothing], left: [down] },
    );
    assert.equal(sent.left, 1);
    const [, later] = outcomes;
    assert.ok(later?.kind === 'degraded');
    assert.equal(later.reason, 'token-budget');
  });

  it('are kept by the call that may use them: calls at once can’t each use the whole', async () => {
    const policy = { tokens: { target: 2_000, retryPercent: 10 } } as const;
    const calls = [{ model: 'plain' }, { model: 'plain' }, { model: 'plain' }] as const;
    const { report, outcomes } = await ask({ policy, parallel: true, calls }, { plain: [nothing] });
    // 200 tokens: one call makes two attempts of 120, and each of the others stops at its first.
    assert.deepEqual(
      outcomes.map(({ report: { attempts } }) => attempts),
      [2, 1, 1],
    );
    assert.equal(report.tokens.wasted, 480);
  });

  it('are kept only as far as a call can use them where it says how long its answer may be', async () => {
    const tokens = { target: 20_000, retryPercent: 10 };
    const policy = { tokens, globalRetryBudget: 20 };
    const input = { maxOutputTokens: 100 };
    const calls = [
      { model: 'plain', input },
      { model: 'left', input },
    ] as const;
    const { outcomes } = await ask(
      { policy, parallel: true, calls },
      { plain: [nothing], left: [nothing] },
    );
    assert.deepEqual(
      outcomes.map(({ report: { attempts } }) => attempts),
      [3, 3],
    );
  });
});

describe('a limit of tokens', () => {
  it('reserves a prompt and room for its answer, so that small limits make no call impossible', async () => {
    const limits = { tokensPerMinute: 200 };
    const policy = { downstreams: { 'model:plain': { limits } } };
    const { outcomes } = await ask({ policy, calls: [{ model: 'plain' }] });
    assert.equal(outcomes[0]?.kind, 'ok');
  });

  it('refuses at once what asks for a longer answer than it ever admits', async () => {
    const limits = { tokensPerMinute: 200 };
    const policy = { downstreams: { 'model:right': { limits } } };
    const input = { maxOutputTokens: 500 };
    const { outcomes, sent } = await ask({ policy, calls: [{ model: 'right', input }] });
    const [outcome] = outcomes;
    assert.ok(outcome !== undefined && outcome.kind !== 'ok');
    assert.equal(outcome.report.reason, 'limit-exceeded');
    assert.equal(sent.right, undefined);
  });
});
