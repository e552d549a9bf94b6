import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { CallReport } from 'holdfast/contract';
import type { calls, payBack, worksLong } from '../replay/fixture/workflows.js';
import { type CrashRig, startCrashRig } from '../support/crash-rig.js';
import type { RunningWorker } from '../support/rig.js';

/** Temporal's number of a heartbeat timeout, in its histories. */
const HEARTBEAT = 4;

describe('an interrupted attempt', () => {
  let rig: CrashRig;
  let rescuer: RunningWorker | undefined;

  before(async () => {
    rig = await startCrashRig();
  });
  afterEach(async () => {
    await rig.children.killAll();
    await rescuer?.stop();
    rescuer = undefined;
    rig.upstream.setFaults({});
    rig.upstream.reset();
  });
  after(() => rig.stop());

  it('at an idempotent write is made again under its key, and its effect happens once', async () => {
    const handle = await rig.client.workflow.start<typeof payBack>('payBack', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('refund'),
      args: ['ORD-1001'],
    });
    const doomed = await rig.children.start({
      stallAt: ['refund#1'],
      upstreamUrl: rig.upstreamUrl,
    });
    await doomed.attempted('refund#1'); // the money is paid, the worker has not said so
    await doomed.kill();
    rescuer = await rig.startRescuer();
    const { outcome } = await handle.result();
    assert.equal(outcome.kind, 'ok');
    assert.deepEqual(counted(outcome.report), { attempts: 1, retries: 0, interruptions: 1 });
    const { routes, calls: records } = rig.upstream.stats();
    assert.equal(routes.refunds.requests, 2);
    assert.equal(routes.refunds.effects, 1);
    assert.equal(routes.refunds.replays, 1);
    assert.deepEqual(
      records.map(({ keys, attempts }) => ({ keys: keys.length, attempts })),
      [{ keys: 1, attempts: 2 }],
    );
  });

  it('after a failed one sends the number of the attempt and the retries left as they stand', async () => {
    rig.upstream.setFaults({
      refunds: { faults: [{ kind: 'status', status: 503, attempts: [1] }] },
    });
    const handle = await rig.client.workflow.start<typeof payBack>('payBack', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('refund-again'),
      args: ['ORD-1002'],
    });
    const doomed = await rig.children.start({
      stallAt: ['refund#2'],
      upstreamUrl: rig.upstreamUrl,
    });
    await doomed.attempted('refund#2');
    await doomed.kill();
    rescuer = await rig.startRescuer();
    const { outcome, report } = await handle.result();
    assert.deepEqual(counted(outcome.report), { attempts: 2, retries: 1, interruptions: 1 });
    assert.equal(report.pool.spent, 1);
    const [record] = rig.upstream.stats().calls;
    assert.deepEqual(
      record?.budgets.map(({ attempt, retriesLeft }) => `${attempt} / ${retriesLeft}`),
      ['1 / 2', '2 / 1', '2 / 1'],
    );
    assert.equal(record?.effects, 1);
  });

  it('by a shutdown in a deploy is no failure: it costs neither pool nor breaker', async () => {
    const handle = await rig.client.workflow.start<typeof calls>('calls', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('shutdown'),
      args: [{ tools: ['look'], calls: [{ tool: 'look', script: ['server', 'not-found'] }] }],
    });
    const leaving = await rig.children.start({ stallAt: ['look#2'] });
    await leaving.attempted('look#2');
    await leaving.shutDown();
    rescuer = await rig.startRescuer();
    const { outcomes, report } = await handle.result();
    assert.deepEqual(counted(outcomes[0]?.report), { attempts: 2, retries: 1, interruptions: 1 });
    assert.deepEqual(report.pool, { total: 6, spent: 1, reserved: 0 });
    assert.equal(report.interruptionsLeft, 14);
    const breaker = report.breakers.orders;
    assert.equal(breaker?.kind === 'closed' && breaker.failuresInARow, 1);
  });

  it('of a plain write by a shutdown leaves it unknown', async () => {
    const handle = await rig.client.workflow.start<typeof calls>('calls', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('shutdown-write'),
      args: [{ tools: ['send'], calls: [{ tool: 'send', script: ['ok'] }] }],
    });
    const leaving = await rig.children.start({ stallAt: ['send#1'] });
    await leaving.attempted('send#1');
    await leaving.shutDown();
    rescuer = await rig.startRescuer();
    const { outcomes } = await handle.result();
    assert.equal(outcomes[0]?.kind, 'unknown');
  });

  it('of a long tool shows by its heartbeat, long before its time is over', async () => {
    const handle = await rig.client.workflow.start<typeof worksLong>('worksLong', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('long'),
      args: [10],
    });
    const doomed = await rig.children.start({ stallAt: ['long_work#1'] });
    await doomed.attempted('long_work#1');
    await doomed.kill();
    rescuer = await rig.startRescuer();
    const { outcome } = await handle.result();
    assert.equal(outcome.kind, 'ok');
    assert.deepEqual(counted(outcome.report), { attempts: 1, retries: 0, interruptions: 1 });
    const { events } = await handle.fetchHistory();
    const failed = events?.find((event) => event.activityTaskTimedOutEventAttributes);
    const info = failed?.activityTaskTimedOutEventAttributes?.failure?.timeoutFailureInfo;
    assert.equal(info?.timeoutType, HEARTBEAT);
  });

  it('is not seen in a long attempt that is alive', async () => {
    rescuer = await rig.startRescuer();
    const { outcome } = await rig.client.workflow.execute<typeof worksLong>('worksLong', {
      taskQueue: rig.taskQueue,
      workflowId: rig.id('alive'),
      args: [2_000],
    });
    assert.equal(outcome.kind, 'ok');
    assert.deepEqual(counted(outcome.report), { attempts: 1, retries: 0, interruptions: 0 });
  });
});

function counted(report: CallReport | undefined): object {
  return {
    attempts: report?.attempts,
    retries: report?.retries,
    interruptions: report?.interruptions,
  };
}
