import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertCancelled } from '../support/assert-cancelled.js';
import { type CallsRig, startCallsRig } from '../support/calls-rig.js';
import { failureOf } from '../support/failure-of.js';
import type { Done } from './fixture/workflows.js';

let rig: CallsRig;
let run: CallsRig['run'];

before(async () => {
  rig = await startCallsRig();
  run = rig.run;
});
after(() => rig.stop());

describe('a run as a whole', () => {
  it('ends Cancelled when it is cancelled', async () => {
    const handle = await rig.client.workflow.start('calls', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('cancel'),
      args: [{ tools: [], calls: [{ tool: 'slow', script: ['ok'], slowMs: 1_500 }] }],
    });
    while ((await handle.describe()).raw.pendingActivities?.length !== 1) await pause();
    await handle.cancel();
    await assertCancelled(handle);
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

  it('says in mode observe what it would have rejected', async () => {
    const workflowId = rig.id('observed');
    const failing = { tool: 'look', script: ['auth', 'server'] } as const;
    const policy = { mode: 'observe', breaker: { consecutiveFailureThreshold: 1 } };
    const { report } = await run({ tools: [], policy, calls: [failing, failing] }, workflowId);
    assert.deepEqual([report.attempts, report.retries], [6, 4]); // Temporal retries what we would not
    const own = rig.decisions().filter(({ task }) => task === workflowId);
    const rejections = own.filter(({ decision }) => decision === 'would-reject');
    assert.deepEqual(
      rejections.map(({ tool, reason }) => [tool, reason]),
      [['look', 'breaker-open']],
    );
  });

  it('shows downstreams, pool and steps in Current Details, and the share in each summary', async () => {
    const workflowId = rig.id('shown');
    const call = { tool: 'look', script: ['server', 'ok'] } as const;
    await run({ tools: [], calls: [call] }, workflowId);
    const handle = rig.client.workflow.getHandle(workflowId);
    const { currentDetails } = await handle.query<{ readonly currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    assert.match(currentDetails, /^\| orders\s+\| closed\s+\| 0\s+\|$/m);
    assert.match(currentDetails, /^5 of 6 free, 0 promised to running calls, 1 spent$/m);
    assert.match(currentDetails, /^\| 1\s+\|\s+\| look\s+\| 2\s+\| ok\s+\|$/m);
    const { events } = await handle.fetchHistory();
    const scheduled = events?.find((event) => event.activityTaskScheduledEventAttributes);
    const summary = scheduled?.userMetadata?.summary?.data;
    assert.equal(JSON.parse(Buffer.from(summary ?? []).toString()), 'look, share 2 retries');
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

  it('counts nothing in mode off, a fallback’s answer included', async () => {
    const { outcomes, report } = await run({
      tools: [],
      policy: { mode: 'off' },
      calls: [{ tool: 'search', script: ['server'] }],
    });
    assert.equal(outcomes[0]?.kind, 'degraded');
    assert.deepEqual(new Set(Object.values(report.counts)), new Set([0]));
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

  const misuses = [
    ['a governor without tools', 'withoutTools', [], /tools must be a list of tools/],
    [
      'a policy that names no tool',
      'misnamedTask',
      [{ steps: [] }],
      /policy\.tools\.pya must name one of look/,
    ],
  ] as const;
  for (const [name, type, args, message] of misuses) {
    it(`fails for good on ${name}`, async () => {
      const workflowId = rig.id('misuse');
      const { taskQueue } = rig;
      const failure = await failureOf(
        rig.client.workflow.execute(type, { taskQueue, workflowId, args: [...args] }),
      );
      assert.equal(failure.type, 'invalid-request');
      assert.match(failure.message, message);
    });
  }

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
