import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallReport, RunReport } from 'holdfast/contract';
import type { calls } from '../replay/fixture/workflows.js';
import { type CrashRig, startCrashRig } from '../support/crash-rig.js';
import type { Done, Plan } from '../workflows/fixture/workflows.js';

/** Most of the time is the server's until it misses a worker: each test has a queue of its own meanwhile. */
describe('a worker that is lost in mid-attempt', { concurrency: 4 }, () => {
  let rig: CrashRig;

  before(async () => {
    rig = await startCrashRig();
  });
  after(() => rig.stop());

  /** Runs a plan; the worker dies in each of the attempts named, one worker after the other. */
  async function runLosing(t: TestContext, plan: Plan, lostAt: readonly string[]): Promise<Done> {
    const taskQueue = rig.id('lost');
    const handle = await rig.client.workflow.start<typeof calls>('calls', {
      taskQueue,
      workflowId: taskQueue,
      args: [plan],
    });
    for (const at of lostAt) {
      const doomed = await rig.children.start({ stallAt: [at], taskQueue });
      await doomed.attempted(at);
      await doomed.kill();
    }
    await rescue(t, taskQueue);
    return handle.result();
  }

  async function rescue(t: TestContext, taskQueue: string): Promise<void> {
    const rescuer = await rig.startRescuer({ taskQueue });
    t.after(() => rescuer.stop());
  }

  it('costs an interruption, and neither pool nor breaker, after an attempt that had failed', async (t) => {
    const script = ['server', 'ok'] as const;
    const done = await runLosing(
      t,
      { tools: ['slow'], calls: [{ tool: 'slow', script: [...script] }] },
      ['slow#2'],
    );
    const [outcome] = done.outcomes;
    assert.equal(outcome?.kind, 'ok');
    assert.deepEqual(counted(outcome?.report), { attempts: 2, retries: 1, interruptions: 1 });
    assert.deepEqual(done.report.pool, { total: 6, spent: 1, reserved: 0 });
    assert.equal(done.report.interruptionsLeft, 14);
    assert.deepEqual(breakerOf(done), { kind: 'closed', failuresInARow: 0 });
  });

  it('carries the sums of failed attempts over: the attempts go on where they were', async (t) => {
    const script = ['server', 'not-found'] as const;
    const done = await runLosing(
      t,
      { tools: ['slow'], calls: [{ tool: 'slow', script: [...script] }] },
      ['slow#2'],
    );
    const [outcome] = done.outcomes;
    assert.equal(outcome?.kind, 'failed');
    assert.deepEqual(counted(outcome?.report), { attempts: 2, retries: 1, interruptions: 1 });
    // one failure before, and the neutral answer after: the lost attempt is not among them
    assert.deepEqual(breakerOf(done), { kind: 'closed', failuresInARow: 1 });
  });

  it('leaves the whole share to the attempts that fail by themselves', async (t) => {
    const done = await runLosing(
      t,
      { tools: ['slow'], calls: [{ tool: 'slow', script: ['server'] }] },
      ['slow#1', 'slow#3'],
    );
    const [outcome] = done.outcomes;
    assert.equal(outcome?.kind, 'exhausted');
    assert.deepEqual(counted(outcome?.report), { attempts: 3, retries: 2, interruptions: 2 });
    assert.deepEqual(done.report.pool, { total: 6, spent: 2, reserved: 0 });
    assert.equal(breakerOf(done).kind, 'open');
  });

  it('ends the call as interrupted once its interruptions are used up', async (t) => {
    const done = await runLosing(
      t,
      {
        tools: ['slow'],
        calls: [{ tool: 'slow', script: ['ok'] }],
        policy: { interruptions: { perCall: 1 } },
      },
      ['slow#1', 'slow#1'],
    );
    const [outcome] = done.outcomes;
    assert.equal(outcome?.kind, 'exhausted');
    assert.equal(reasonOf(outcome), 'interrupted');
    assert.deepEqual(counted(outcome?.report), { attempts: 0, retries: 0, interruptions: 2 });
    assert.deepEqual(done.report.pool, { total: 6, spent: 0, reserved: 0 });
    assert.deepEqual(breakerOf(done), { kind: 'closed', failuresInARow: 0 });
  });

  it('ends the call as interrupted once the interruptions of the run are used up', async (t) => {
    const done = await runLosing(
      t,
      {
        calls: [
          { tool: 'slow', script: ['ok'] },
          { tool: 'slow', script: ['ok'] },
        ],
        policy: { interruptions: { perRun: 1 } },
      },
      ['slow#1', 'slow#1'],
    );
    assert.deepEqual(
      done.outcomes.map(({ kind, report }) => `${kind}, ${report.interruptions}`),
      ['exhausted, 2', 'ok, 0'],
    );
    assert.equal(done.report.interruptionsLeft, 0);
  });

  it('leaves a plain write unknown, and never sends it again', async (t) => {
    const taskQueue = rig.id('write');
    const handle = await rig.client.workflow.start<typeof calls>('calls', {
      taskQueue,
      workflowId: taskQueue,
      args: [{ tools: ['send'], calls: [{ tool: 'send', script: ['ok'] }] }],
    });
    const doomed = await rig.children.start({ stallAt: ['send#1'], taskQueue });
    await doomed.attempted('send#1');
    await doomed.kill();
    await rescue(t, taskQueue);
    const { outcomes, report } = await handle.result();
    const [outcome] = outcomes;
    assert.equal(outcome?.kind, 'unknown');
    assert.equal(reasonOf(outcome), 'effect-unknown');
    assert.equal(outcome.report.effectMayHaveHappened, true);
    assert.equal(outcome.report.attempts, 0);
    assert.equal(report.counts.unknown, 1);
  });

  it('stops a workflow only until another worker starts', async (t) => {
    const plan: Plan = {
      calls: [
        { tool: 'look', script: ['ok'] },
        { tool: 'search', script: ['ok'] },
      ],
      pauseMs: 2_000,
    };
    const taskQueue = rig.id('resumed');
    const handle = await rig.client.workflow.start<typeof calls>('calls', {
      taskQueue,
      workflowId: taskQueue,
      args: [plan],
    });
    const doomed = await rig.children.start({ taskQueue });
    await doomed.attempted('look#1');
    // once the first call is booked the workflow sleeps
    while ((await handle.query<RunReport>('holdfast.report')).counts.ok === 0) await sleep(20);
    await doomed.kill();
    await rescue(t, taskQueue);
    const { outcomes } = await handle.result();
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['ok', 'ok'],
    );
  });
});

function counted(report: CallReport | undefined): object {
  return {
    attempts: report?.attempts,
    retries: report?.retries,
    interruptions: report?.interruptions,
  };
}

function breakerOf({ report }: Done): { readonly kind?: string; readonly failuresInARow?: number } {
  const breaker = report.breakers.slow;
  if (breaker?.kind !== 'closed') return { ...breaker };
  return { kind: 'closed', failuresInARow: breaker.failuresInARow };
}

function reasonOf(outcome: Done['outcomes'][number] | undefined): string | undefined {
  return outcome !== undefined && 'reason' in outcome.report ? outcome.report.reason : undefined;
}
