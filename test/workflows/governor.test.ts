import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { FailureReport } from 'holdfast/contract';
import { type Rig, startRig } from '../support/rig.js';
import { implementations } from './fixture/implementations.js';
import type { Done, Plan } from './fixture/workflows.js';

let rig: Rig;
const seen: string[] = [];

before(async () => {
  rig = await startRig({
    workflows: 'test/workflows/fixture/workflows.js',
    implementations: implementations(seen),
  });
});
after(() => rig.stop());

async function run(plan: Plan, workflowId = rig.id('governor')): Promise<Done> {
  return rig.client.workflow.execute('calls', {
    taskQueue: rig.taskQueue,
    workflowId,
    args: [plan],
  });
}

async function failureOf(promise: Promise<unknown>): Promise<ApplicationFailure> {
  const error = await promise.then(
    () => assert.fail('the workflow did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof WorkflowFailedError);
  assert.ok(error.cause instanceof ApplicationFailure);
  return error.cause;
}

describe('attempts and the breaker', () => {
  it('counts each attempt of a call whose last one failed', async () => {
    const { report } = await run({
      tools: [],
      policy: { breaker: { consecutiveFailureThreshold: 9 } },
      calls: [{ tool: 'look', script: ['server'] }],
    });
    assert.deepEqual(report.breakers.orders, { generation: 0, kind: 'closed', failuresInARow: 3 });
  });

  it('counts failures before a success, which then resets the count', async () => {
    const { report, outcomes } = await run({
      tools: [],
      calls: [{ tool: 'look', script: ['server', 'server', 'ok'] }],
    });
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.equal(outcomes[0]?.report.attempts, 3);
    assert.deepEqual(report.breakers.orders, { generation: 0, kind: 'closed', failuresInARow: 0 });
  });

  it('opens on the third failure in a row, rejects three calls, then lets one probe without a retry', async () => {
    const failing = { tool: 'look', script: ['server'] } as const;
    const { outcomes, report } = await run({
      tools: [],
      calls: [failing, failing, failing, failing, { tool: 'look', script: ['server', 'ok'] }],
    });
    assert.deepEqual(
      outcomes.map(({ kind, report: { share, attempts } }) => [kind, share, attempts]),
      [
        ['exhausted', 2, 3],
        ['rejected', 0, 0],
        ['rejected', 0, 0],
        ['rejected', 0, 0],
        ['exhausted', 0, 1],
      ],
    );
    assert.equal(report.breakers.orders?.kind, 'open');
  });

  it('closes on the probe’s success, for every tool of the downstream', async () => {
    const { outcomes, report } = await run({
      tools: [],
      policy: { breaker: { halfOpenAfterCalls: 1 } },
      calls: [
        { tool: 'look', script: ['server'] },
        { tool: 'look_again', script: ['ok'] },
        { tool: 'look_again', script: ['ok'] },
        { tool: 'look', script: ['ok'] },
      ],
    });
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['exhausted', 'rejected', 'ok', 'ok'],
    );
    assert.equal(report.breakers.orders?.kind, 'closed');
  });

  it('caps a call’s attempts by the failures that its downstream already has', async () => {
    const { outcomes } = await run({
      tools: [],
      policy: { maxAttempts: 3 },
      calls: [
        { tool: 'look', script: ['quota'] },
        { tool: 'look_again', script: ['server'] },
      ],
    });
    assert.equal(outcomes[1]?.report.share, 1);
    assert.equal(outcomes[1]?.report.attempts, 2);
  });

  it('counts parallel calls in the order in which they end, and promises no retry twice', async () => {
    const { outcomes, report } = await run({
      tools: [],
      parallel: true,
      policy: { globalRetryBudget: 3, breaker: { consecutiveFailureThreshold: 'Infinity' } },
      calls: [
        { tool: 'look', script: ['server', 'ok'], note: 'a' },
        { tool: 'look', script: ['server'], note: 'b' },
        { tool: 'look', script: ['server'], note: 'c' },
        { tool: 'look', script: ['ok'], note: 'd', slowMs: 400 },
      ],
    });
    const shares = outcomes.map((outcome) => outcome.report.share);
    assert.equal(
      shares.reduce((sum, share) => sum + share, 0),
      3,
    );
    assert.ok(report.pool.spent <= 3);
    assert.equal(report.pool.reserved, 0);
    assert.equal(
      report.attempts,
      outcomes.reduce((sum, { report: { attempts } }) => sum + attempts, 0),
    );
    assert.deepEqual(report.breakers.orders, { generation: 0, kind: 'closed', failuresInARow: 0 });
  });
});

describe('the pool', () => {
  it('gets back what a call didn’t use, and plans the rest again', async () => {
    const { outcomes } = await run({
      tools: ['look', 'look_again'],
      policy: { globalRetryBudget: 2 },
      calls: [
        { tool: 'look', script: ['ok'] },
        { tool: 'look_again', script: ['server', 'server', 'ok'] },
      ],
    });
    assert.deepEqual(
      outcomes.map(({ report: { share } }) => share),
      [1, 2],
    );
    assert.equal(outcomes[1]?.kind, 'ok');
  });

  it('keeps what required tools still need when a call beyond the plan asks', async () => {
    const { outcomes } = await run({
      tools: ['look', 'pay'],
      policy: { globalRetryBudget: 4, breaker: { consecutiveFailureThreshold: 9 } },
      calls: [
        { tool: 'slow', script: ['server'] },
        { tool: 'look', script: ['ok'] },
      ],
    });
    assert.deepEqual(
      outcomes.map(({ report: { share } }) => share),
      [0, 2],
    );
  });

  it('says retry-budget where the pool, and not the tool, was the limit', async () => {
    const { outcomes } = await run({
      tools: [],
      policy: { globalRetryBudget: 1 },
      calls: [{ tool: 'look', script: ['server'] }],
    });
    const [outcome] = outcomes;
    assert.equal(outcome?.kind, 'exhausted');
    assert.equal(outcome?.kind === 'exhausted' && outcome.report.reason, 'retry-budget');
  });

  it('schedules one attempt, and never an unlimited number, for a share of none', async () => {
    const workflowId = rig.id('no-retries');
    await run(
      {
        tools: [],
        policy: { globalRetryBudget: 0 },
        calls: [{ tool: 'look', script: ['server'] }],
      },
      workflowId,
    );
    const { events = [] } = await rig.client.workflow.getHandle(workflowId).fetchHistory();
    const scheduled = events?.find((event) => event.activityTaskScheduledEventAttributes);
    assert.equal(scheduled?.activityTaskScheduledEventAttributes?.retryPolicy?.maximumAttempts, 1);
  });
});

describe('outcomes', () => {
  it('degrades to the declared value, and says from what, to what and why', async () => {
    const { outcomes, report } = await run({
      tools: [],
      calls: [{ tool: 'search', script: ['server'] }],
    });
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'degraded');
    assert.deepEqual(outcome.value, { attempt: 0, note: 'from nowhere' });
    assert.deepEqual([outcome.from, outcome.to, outcome.reason], ['search', 'value', 'attempts']);
    assert.deepEqual(outcome.report.alternatives, ['look']);
    assert.equal(report.counts.degraded, 1);
    assert.equal(report.counts.exhausted, 0);
  });

  it('degrades to another tool, whose call is governed like any other', async () => {
    const { outcomes, report } = await run({
      tools: [],
      calls: [{ tool: 'search_elsewhere', script: ['overloaded'], note: 'x' }],
    });
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'degraded');
    assert.equal(outcome.to, 'look');
    assert.deepEqual(outcome.value, { attempt: 1, note: 'x' });
    assert.equal(report.calls, 2);
  });

  it('hides no error behind a fallback that a fallback can’t mend', async () => {
    const { outcomes } = await run({
      tools: [],
      calls: [{ tool: 'search', script: ['not-found'] }],
    });
    assert.equal(outcomes[0]?.kind, 'failed');
  });

  it('refuses a wrong input without scheduling anything', async () => {
    const { outcomes, report } = await run({ tools: [], calls: [{ tool: 'look', script: [] }] });
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'failed');
    assert.match(outcome.report.message, /look\.input\.script/);
    assert.equal(report.attempts, 0);
  });

  for (const script of ['string', 'undefined', 'frozen'] as const) {
    it(`ends a call whose tool throws a ${script} value`, async () => {
      const { outcomes } = await run({
        tools: [],
        calls: [{ tool: 'look', script: [script, 'ok'] }],
      });
      assert.equal(outcomes[0]?.kind, script === 'frozen' ? 'ok' : 'failed');
    });
  }

  it('obeys a tool’s own answer that it is of no use to retry', async () => {
    const { outcomes } = await run({
      tools: [],
      calls: [
        { tool: 'look', script: ['success-false-final', 'ok'], note: 'a' },
        { tool: 'look', script: ['success-false', 'ok'], note: 'b' },
      ],
    });
    assert.deepEqual(
      outcomes.map(({ kind, report: { attempts } }) => [kind, attempts]),
      [
        ['failed', 1],
        ['ok', 2],
      ],
    );
  });

  it('is unknown for a plain write that timed out, which is not sent again', async () => {
    seen.length = 0;
    const { outcomes } = await run({
      tools: [],
      calls: [{ tool: 'send', script: ['hang', 'ok'] }],
    });
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'unknown');
    assert.equal(outcome.report.effectMayHaveHappened, true);
    assert.deepEqual(seen, ['send#1']);
  });

  it('sends an idempotent write again with the same key', async () => {
    const { outcomes } = await run({
      tools: [],
      calls: [{ tool: 'pay', script: ['timeout', 'ok'] }],
    });
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.equal(outcomes[0]?.report.attempts, 2);
  });

  it('gives a hanging attempt up just before its timeout and tries again', async () => {
    const { outcomes } = await run({
      tools: [],
      calls: [{ tool: 'slow', script: ['hang', 'ok'] }],
    });
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.equal(outcomes[0]?.report.interruptions, 0);
    assert.equal(outcomes[0]?.report.attempts, 2);
  });
});

describe('governor.need', () => {
  it('returns the value, a fallback’s included', async () => {
    const value = await rig.client.workflow.execute('needs', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('needs'),
      args: [{ tools: [], calls: [{ tool: 'search', script: ['server'] }] }],
    });
    assert.deepEqual(value, { attempt: 0, note: 'from nowhere' });
  });

  it('throws a failure for good that names the kind and carries the report', async () => {
    const failure = await failureOf(
      rig.client.workflow.execute('needs', {
        taskQueue: rig.taskQueue,
        workflowId: rig.id('needs'),
        args: [{ tools: [], calls: [{ tool: 'look', script: ['auth'] }] }],
      }),
    );
    assert.equal(failure.type, 'holdfast.exhausted');
    assert.equal(failure.nonRetryable, true);
    const [report] = failure.details ?? [];
    assert.equal((report as FailureReport).class, 'auth');
  });
});

describe('a run as a whole', () => {
  it('ends Cancelled when it is cancelled', async () => {
    const handle = await rig.client.workflow.start('calls', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('cancel'),
      args: [{ tools: [], calls: [{ tool: 'slow', script: ['ok'], slowMs: 1_500 }] }],
    });
    while ((await handle.describe()).raw.pendingActivities?.length !== 1) await pause();
    await handle.cancel();
    await assert.rejects(handle.result(), (error: unknown) => {
      assert.ok(error instanceof WorkflowFailedError);
      assert.ok(error.cause instanceof CancelledFailure);
      return true;
    });
    assert.equal((await handle.describe()).status.name, 'CANCELLED');
  });

  it('hands its state over when it continues as new with a call in flight', async () => {
    const workflowId = rig.id('handover');
    const done: Done = await rig.client.workflow.execute('handingOver', {
      taskQueue: rig.taskQueue,
      workflowId,
      args: [
        {
          tools: [],
          policy: { globalRetryBudget: 9 },
          calls: [
            { tool: 'look', script: ['server', 'ok'], slowMs: 200 },
            { tool: 'search', script: ['overloaded', 'ok'] },
          ],
        },
        2,
      ],
    });
    assert.equal(done.report.calls, 6);
    assert.equal(done.report.attempts, 12);
    assert.deepEqual(done.report.pool, { total: 9, spent: 6, reserved: 0 });
    const state = await rig.client.workflow
      .getHandle(workflowId)
      .query<{ run: number }>('holdfast.state');
    assert.equal(state.run, 3);
  });

  it('observes without changing anything in mode observe, and counts all the same', async () => {
    const failing = { tool: 'look', script: ['server'] } as const;
    const { outcomes, report } = await run({
      tools: [],
      policy: { mode: 'observe', breaker: { consecutiveFailureThreshold: 1 } },
      calls: [failing, { tool: 'look', script: ['ok'] }],
    });
    assert.equal(outcomes[1]?.kind, 'ok');
    assert.equal(report.breakers.orders?.kind, 'open');
  });

  it('passes everything through in mode off, and still returns outcomes', async () => {
    const { outcomes, report } = await run({
      tools: [],
      policy: { mode: 'off' },
      calls: [{ tool: 'look', script: ['server', 'ok'] }],
    });
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.equal(report.calls, 0);
  });

  it('fails with every fault of a policy in its first task, and schedules nothing', async () => {
    const workflowId = rig.id('bad-policy');
    const failure = await failureOf(
      run(
        {
          tools: [],
          policy: { globalRetryBudget: -1, breaker: { consecutiveFailureThreshold: 0 } },
          calls: [{ tool: 'look', script: ['ok'] }],
        },
        workflowId,
      ),
    );
    assert.equal(failure.type, 'invalid-request');
    assert.match(failure.message, /policy\.globalRetryBudget must be .*, got -1/);
    assert.match(failure.message, /policy\.breaker\.consecutiveFailureThreshold must be .*, got 0/);
    const { events = [] } = await rig.client.workflow.getHandle(workflowId).fetchHistory();
    assert.equal(events?.filter((event) => event.activityTaskScheduledEventAttributes).length, 0);
    assert.equal(events?.filter((event) => event.workflowTaskFailedEventAttributes).length, 0);
  });

  it('writes one structured line for each decision of the gate', async () => {
    const workflowId = rig.id('logged');
    await run({ tools: [], calls: [{ tool: 'search', script: ['server'] }] }, workflowId);
    const lines = rig.decisions().filter(({ task }) => task === workflowId);
    assert.deepEqual(
      lines.map(({ tool, downstream, attempt, decision }) => [tool, downstream, attempt, decision]),
      [
        ['search', 'search', 1, 'admit'],
        ['search', 'search', 1, 'retry'],
        ['search', 'search', 2, 'retry'],
        ['search', 'search', 3, 'stop'],
        ['search', 'search', 3, 'give-up'],
        ['search', 'search', 3, 'fall-back'],
      ],
    );
    for (const { reason } of lines) assert.notEqual(reason, '');
  });
});

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
