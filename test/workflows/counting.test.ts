import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type CallsRig, startCallsRig } from '../support/calls-rig.js';

let rig: CallsRig;
let run: CallsRig['run'];

before(async () => {
  rig = await startCallsRig();
  run = rig.run;
});
after(() => rig.stop());

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
