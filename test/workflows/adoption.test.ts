import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CompleteAsyncError, Context } from '@temporalio/activity';
import { Client, WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, type ActivityOptions, ApplicationFailure } from '@temporalio/common';
import type { RunReport, RunState } from 'holdfast/contract';
import { type Rig, startRig } from '../support/rig.js';
import { projectFile } from '../support/root.js';

let rig: Rig;

const activities = {
  async flaky(script: readonly string[], id: string): Promise<string> {
    const { attempt } = Context.current().info;
    const move = script[Math.min(attempt, script.length) - 1];
    if (move === 'ok') return `${id}:${attempt}`;
    if (move === 'final') throw ApplicationFailure.nonRetryable('no use', 'MyFinal', { mine: 1 });
    throw ApplicationFailure.retryable('try again', 'MyError', { mine: 1 });
  },
  async silent(): Promise<never> {
    throw new CompleteAsyncError();
  },
  async steady(id: string): Promise<string> {
    return id;
  },
};

before(async () => {
  rig = await startRig({
    workflows: 'test/workflows/fixture/ordinary.js',
    policyModule: projectFile('dist/test/workflows/fixture/holdfast.js'),
    worker: { activities },
  });
});
after(() => rig.stop());

async function run(scripts: readonly (readonly string[])[], client = rig.client) {
  const workflowId = rig.id('ordinary');
  const ends: readonly string[] = await client.workflow.execute('ordinary', {
    taskQueue: rig.taskQueue,
    workflowId,
    args: [scripts],
  });
  const handle = rig.client.workflow.getHandle(workflowId);
  const report = await handle.query<RunReport>('holdfast.report');
  const state = await handle.query<RunState>('holdfast.state');
  const { events = [] } = await handle.fetchHistory();
  return { ends, report, state, events: events ?? [] };
}

describe('an ordinary workflow with plugin and policy module', () => {
  it('retries within the budget, and its values are its own', async () => {
    const { ends, report } = await run([['no', 'ok'], ['ok']]);
    assert.deepEqual(ends, ['0:2', '1:1']);
    assert.deepEqual(report.pool, { total: 4, spent: 1, reserved: 0 });
    assert.equal(report.attempts, 4);
  });

  it('sees ordinary activity failures with its own types and details', async () => {
    const { ends } = await run([['no'], ['final']]);
    assert.deepEqual(ends, ['MyError: try again (1 details)', 'MyFinal: no use (1 details)']);
  });

  it('passes a failure on without anything of holdfast’s in it', async () => {
    const failed: unknown = await rig.client.workflow
      .execute('failsWith', {
        taskQueue: rig.taskQueue,
        workflowId: rig.id('fails'),
        args: [['final']],
      })
      .catch((error: unknown) => error);
    assert.ok(failed instanceof WorkflowFailedError && failed.cause instanceof ActivityFailure);
    const { cause, activityType } = failed.cause;
    assert.equal(activityType, 'flaky');
    assert.ok(cause instanceof ApplicationFailure);
    assert.deepEqual([cause.type, cause.message, cause.nonRetryable], ['MyFinal', 'no use', true]);
    assert.deepEqual(cause.details, [{ mine: 1 }]);
  });

  it('gets a synthetic failure, and schedules nothing, while the breaker is open', async () => {
    const { ends, events, state } = await run([['no'], ['no'], ['ok'], ['ok'], ['ok']]);
    assert.match(String(ends[2]), /^breaker-open: The breaker for shaky is open/);
    assert.match(String(ends[3]), /^breaker-open/);
    assert.equal(ends[4], '4:1');
    const scheduled = events.filter((event) => event.activityTaskScheduledEventAttributes);
    assert.equal(scheduled.length, 4);
    assert.equal(state.breakers.shaky?.kind, 'closed');
  });

  it('never takes more retries than the pool holds', async () => {
    const { report } = await run([['no'], ['final'], ['no'], ['no'], ['no']]);
    assert.ok(report.pool.spent <= 4);
    assert.equal(report.pool.reserved, 0);
  });

  it('costs no event when holdfast’s client starts it, and one marker otherwise', async () => {
    const governed = await run([['ok']]);
    const plain = new Client({ connection: rig.client.connection });
    const patched = await run([['ok']], plain);
    const markers = (events: typeof governed.events) =>
      events.filter((event) => event.markerRecordedEventAttributes).length;
    assert.equal(markers(governed.events), 0);
    assert.equal(markers(patched.events), 1);
    assert.equal(patched.report.calls, 2);
  });
});

describe('a plain call with options of its own', () => {
  async function call(options: ActivityOptions) {
    const workflowId = rig.id('own-options');
    const end: string = await rig.client.workflow.execute('ownOptions', {
      taskQueue: rig.taskQueue,
      workflowId,
      args: ['silent', options],
    });
    const { events = [] } = await rig.client.workflow.getHandle(workflowId).fetchHistory();
    const scheduled = (events ?? []).flatMap(
      ({ activityTaskScheduledEventAttributes: attributes }) => attributes ?? [],
    );
    return { end, scheduled };
  }

  it('keeps its own time for all attempts where that is shorter than the run’s', async () => {
    const { end, scheduled } = await call({ scheduleToCloseTimeout: '1s' });
    assert.equal(end, 'SCHEDULE_TO_CLOSE');
    assert.deepEqual(
      scheduled.map(({ scheduleToCloseTimeout }) => Number(scheduleToCloseTimeout?.seconds)),
      [1],
    );
  });

  it('is scheduled again when its worker is lost', async () => {
    const { end, scheduled } = await call({ startToCloseTimeout: '300ms' });
    assert.equal(end, 'START_TO_CLOSE');
    assert.equal(scheduled.length, 4);
  });

  it('that allows one attempt is never sent again, a lost worker included', async () => {
    const retry = { maximumAttempts: 1 };
    const { end, scheduled } = await call({ startToCloseTimeout: '300ms', retry });
    assert.equal(end, 'START_TO_CLOSE');
    assert.equal(scheduled.length, 1);
  });
});
