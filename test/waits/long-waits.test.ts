import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { holdfast } from 'holdfast';
import type { PolicyInput } from 'holdfast/contract';
import { projectFile } from '../support/root.js';
import { createTimeSkipping } from '../support/server.js';
import { openTestLedger, type TestLedger } from '../support/test-ledger.js';
import { implementations } from './fixture/implementations.js';
import type { Part, timed } from './fixture/workflows.js';

type Events = NonNullable<
  Awaited<ReturnType<Awaited<ReturnType<typeof run>>['handle']['fetchHistory']>>['events']
>;

let environment: TestWorkflowEnvironment;
let worker: Worker;
let ledger: TestLedger;
let ended: Promise<void>;
const taskQueue = `waits-${randomUUID()}`;

before(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  environment = await createTimeSkipping();
  ledger = await openTestLedger();
  worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue,
    workflowsPath: projectFile('dist', 'test', 'waits', 'fixture', 'workflows.js'),
    plugins: [holdfast({ implementations: implementations(), ledger: ledger.ledger })],
  });
  ended = worker.run();
});
after(async () => {
  worker.shutdown();
  await ended;
  await environment.teardown();
  await ledger.remove();
});

describe('a hint of the downstream', () => {
  it('is waited for in full', async () => {
    const { calls } = await run([{ script: [{ retryAfterSeconds: 30 }, 'ok'] }]);
    const [call] = calls;
    assert.equal(call?.outcome.kind, 'ok');
    assert.equal(call.outcome.report.attempts, 2);
    assert.ok(call.tookMs >= 30_000, `${call.tookMs} ms`);
  });

  it('of three minutes outlasts a maximum interval of two (V84)', async () => {
    const { calls } = await run([{ script: [{ retryAfterSeconds: 180 }, 'ok'] }], {
      hintCapMs: 600_000,
      backoff: { capMs: 120_000 },
    });
    const [call] = calls;
    assert.equal(call?.outcome.kind, 'ok');
    assert.ok(call.tookMs >= 180_000, `${call.tookMs} ms`);
  });

  it('beyond the cap for hints lets the fallback answer, without a retry', async () => {
    const { calls } = await run([{ script: [{ retryAfterSeconds: 61 }, 'ok'], orGuess: true }]);
    const [call] = calls;
    assert.equal(call?.outcome.kind, 'degraded');
    assert.equal(call.outcome.to, 'value');
    assert.equal(call.outcome.report.attempts, 1);
    assert.equal(call.outcome.report.retryAfterMs, 61_000);
    assert.ok(call.tookMs < 61_000, 'by the time of the workflow, which skips');
  });

  it('beyond the cap for hints ends the call where there is no fallback', async () => {
    const { calls } = await run([{ script: [{ retryAfterSeconds: 61 }, 'ok'] }]);
    const [call] = calls;
    assert.equal(call?.outcome.kind, 'exhausted');
    assert.equal(call.outcome.report.reason, 'not-retryable');
  });

  it('that passes the deadline of ten minutes is not waited for', async () => {
    const { calls } = await run([{ script: [{ retryAfterSeconds: 400 }] }], {
      hintCapMs: 3_600_000,
    });
    const [call] = calls;
    assert.equal(call?.outcome.kind, 'exhausted');
    assert.equal(call.outcome.report.reason, 'deadline');
    // the first hint fits, the second would end at 800 s
    assert.equal(call.outcome.report.attempts, 2);
    assert.ok(call.tookMs >= 400_000 && call.tookMs < 600_000, `${call.tookMs} ms`);
  });
});

describe('a task of ten minutes', () => {
  it('schedules nothing once they are over', async () => {
    const { calls, events } = await run([
      { script: ['ok'] },
      { pauseMs: 599_000 },
      { script: ['ok'] },
      { pauseMs: 2_000 },
      { script: ['ok'] },
    ]);
    assert.deepEqual(
      calls.map(({ outcome }) => outcome.kind),
      ['ok', 'ok', 'rejected'],
    );
    const last = calls.at(-1)?.outcome;
    assert.equal(last?.kind === 'rejected' && last.report.reason, 'deadline');
    assert.equal(scheduled(events).length, 2);
  });
});

describe('an open breaker', () => {
  it('probes after 30 s of the time of the workflow, however few calls came', async () => {
    const { calls, report } = await run([
      { script: ['down'] },
      { pauseMs: 29_000 },
      { script: ['ok'] },
      { pauseMs: 1_500 },
      { script: ['ok'] },
    ]);
    assert.deepEqual(
      calls.map(({ outcome }) => outcome.kind),
      ['exhausted', 'rejected', 'ok'],
    );
    assert.equal(report.breakers.service?.kind, 'closed');
  });

  it('stays open for as long again after a probe that failed', async () => {
    const { calls } = await run([
      { script: ['down'] },
      { pauseMs: 31_000 },
      { script: ['down'] },
      { pauseMs: 29_000 },
      { script: ['ok'] },
      { pauseMs: 1_500 },
      { script: ['ok'] },
    ]);
    assert.deepEqual(
      calls.map(({ outcome }) => `${outcome.kind}, ${outcome.report.attempts}`),
      ['exhausted, 3', 'exhausted, 1', 'rejected, 0', 'ok, 1'],
    );
  });
});

describe('an attempt that has to wait', () => {
  it('sleeps on a timer of the workflow and uses no attempt', async () => {
    const { calls, report, events } = await run([
      { script: [{ waitMs: 300_000 }, { waitMs: 120_000 }, 'ok'] },
    ]);
    const [call] = calls;
    assert.deepEqual(call?.outcome.kind === 'ok' && call.outcome.value, { runs: 3 });
    assert.equal(call?.outcome.report.attempts, 1);
    assert.equal(call?.outcome.report.retries, 0);
    assert.equal(report.pool.spent, 0);
    assert.deepEqual(timers(events), [300, 120]);
    assert.equal(scheduled(events).length, 3);
    assert.ok(call && call.tookMs >= 420_000);
  });

  it('past the deadline gives up at once', async () => {
    const { calls, events } = await run([{ script: [{ waitMs: 700_000 }, 'ok'] }]);
    const [call] = calls;
    assert.equal(call?.outcome.kind, 'exhausted');
    assert.equal(call.outcome.report.reason, 'wait');
    assert.deepEqual(timers(events), []);
  });

  it('keeps the share for the failures that follow the wait', async () => {
    const { calls, report } = await run([{ script: [{ waitMs: 60_000 }, 'down', 'down', 'ok'] }]);
    const [call] = calls;
    assert.equal(call?.outcome.kind, 'ok');
    assert.equal(call.outcome.report.attempts, 3);
    assert.deepEqual(report.pool, { total: 3, spent: 2, reserved: 0 });
  });
});

async function run(parts: readonly Part[], policy?: PolicyInput) {
  const handle = await environment.client.workflow.start<typeof timed>('timed', {
    taskQueue,
    workflowId: `waits-${randomUUID()}`,
    args: policy === undefined ? [parts] : [parts, policy],
  });
  const result = await handle.result();
  const { events } = await handle.fetchHistory();
  return { ...result, handle, events: events ?? [] };
}

function scheduled(events: Events): Events {
  return events.filter((event) => event.activityTaskScheduledEventAttributes);
}

/** Returns the seconds of the timers in a history. */
function timers(events: Events): number[] {
  return events
    .map((event) => event.timerStartedEventAttributes?.startToFireTimeout?.seconds)
    .filter((seconds) => seconds !== undefined && seconds !== null)
    .map(Number);
}
