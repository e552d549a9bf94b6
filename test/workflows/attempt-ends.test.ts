import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RunReport } from 'holdfast/contract';
import { type CallsRig, startCallsRig } from '../support/calls-rig.js';
import { outerInterceptor } from './fixture/outer-interceptor.js';
import type { Call, Done, Plan } from './fixture/workflows.js';

let rig: CallsRig;
let run: CallsRig['run'];

before(async () => {
  rig = await startCallsRig({ worker: { interceptors: { activity: [outerInterceptor()] } } });
  run = rig.run;
});
after(() => rig.stop());

type Row = {
  readonly end: string;
  readonly call: Pick<Call, 'script' | 'note'>;
  readonly breaker: 'success' | 'failure' | 'neutral';
  readonly retried: boolean;
};

// Spec, section 5, "What each end of an attempt does": the columns of the workflow breaker and the
// plan's share. `nothing` and `neutral` look alike in a closed breaker.
const rows: readonly Row[] = [
  { end: 'success', call: { script: ['ok'] }, breaker: 'success', retried: false },
  { end: 'server', call: { script: ['server'] }, breaker: 'failure', retried: true },
  { end: 'network', call: { script: ['network'] }, breaker: 'failure', retried: true },
  { end: 'overloaded', call: { script: ['overloaded'] }, breaker: 'failure', retried: true },
  { end: 'timeout', call: { script: ['timeout'] }, breaker: 'failure', retried: true },
  { end: 'rate-limit', call: { script: ['rate-limit'] }, breaker: 'neutral', retried: true },
  { end: 'quota', call: { script: ['quota'] }, breaker: 'failure', retried: false },
  { end: 'conflict', call: { script: ['conflict'] }, breaker: 'neutral', retried: true },
  { end: 'unknown', call: { script: ['unknown'] }, breaker: 'failure', retried: false },
  { end: 'auth', call: { script: ['auth'] }, breaker: 'neutral', retried: false },
  {
    end: 'invalid-request',
    call: { script: ['invalid-request'] },
    breaker: 'neutral',
    retried: false,
  },
  { end: 'not-found', call: { script: ['not-found'] }, breaker: 'neutral', retried: false },
  {
    end: 'context-length',
    call: { script: ['context-length'] },
    breaker: 'neutral',
    retried: false,
  },
  {
    end: 'content-filter',
    call: { script: ['content-filter'] },
    breaker: 'neutral',
    retried: false,
  },
  { end: 'validation', call: { script: ['bad-output'] }, breaker: 'neutral', retried: false },
  { end: 'wait: limiter', call: { script: ['wait-once'] }, breaker: 'success', retried: false },
  {
    end: 'replayed from the ledger',
    call: { script: ['ok'], note: 'replayed' },
    breaker: 'neutral',
    retried: false,
  },
];

describe('the ends of attempts', () => {
  for (const { end, call, breaker, retried } of rows) {
    it(`counts ${end} as ${breaker} in the breaker and ${retried ? 'pays a retry' : 'pays no retry'}`, async () => {
      // One failure stands before, so that success, failure and neutral differ.
      const { report } = await run({
        tools: [],
        policy: { maxAttempts: 1, breaker: { consecutiveFailureThreshold: 9 } },
        calls: [
          { tool: 'look', script: ['server'] },
          { tool: 'look', ...call },
        ],
      });
      const expected = { success: 0, neutral: 1, failure: 2 }[breaker];
      assert.equal(failuresInARow(report, 'orders'), expected);
      const { report: retrying } = await run({
        tools: [],
        policy: { maxAttempts: 2 },
        calls: [{ tool: 'look', ...call, script: [...call.script, 'ok'] }],
      });
      assert.deepEqual(retrying.pool, { total: 6, spent: retried ? 1 : 0, reserved: 0 });
    });
  }

  it('counts an interruption nowhere and takes it from its own budget', async () => {
    const { report, outcomes } = await run({
      tools: [],
      calls: [
        { tool: 'look', script: ['server'] },
        { tool: 'look', script: ['server'], note: 'interrupted' },
      ],
      policy: { maxAttempts: 1, breaker: { consecutiveFailureThreshold: 9 } },
    });
    assert.equal(failuresInARow(report, 'orders'), 2);
    assert.equal(report.pool.spent, 0);
    assert.equal(report.interruptionsLeft, 14);
    assert.equal(outcomes[1]?.report.interruptions, 1);
  });

  it('counts a cancelled call nowhere', async () => {
    const workflowId = rig.id('cancelled');
    const report: RunReport = await rig.client.workflow.execute('cancelsItself', {
      taskQueue: rig.taskQueue,
      workflowId,
      args: [{ tools: [], calls: [{ tool: 'slow', script: ['ok'], slowMs: 1_500 }] }],
    });
    assert.equal(failuresInARow(report, 'slow'), 0);
    assert.equal(report.counts.cancelled + report.counts.ok, 1);
    assert.deepEqual(report.pool, { total: 6, spent: 0, reserved: 0 });
  });

  it('lets a rejected call count nowhere and schedules nothing for it', async () => {
    const workflowId = rig.id('rejected');
    const plan: Plan = {
      tools: [],
      policy: { maxAttempts: 1, breaker: { consecutiveFailureThreshold: 1 } },
      calls: [
        { tool: 'look', script: ['server'] },
        { tool: 'look', script: ['ok'] },
        { tool: 'look', script: ['ok'] },
      ],
    };
    const { outcomes, report }: Done = await rig.client.workflow.execute('calls', {
      taskQueue: rig.taskQueue,
      workflowId,
      args: [plan],
    });
    assert.deepEqual(
      outcomes.map(({ kind, report: { attempts } }) => [kind, attempts]),
      [
        ['exhausted', 1],
        ['rejected', 0],
        ['rejected', 0],
      ],
    );
    assert.equal(report.pool.spent, 0);
    const { events = [] } = await rig.client.workflow.getHandle(workflowId).fetchHistory();
    const scheduled = events?.filter((event) => event.activityTaskScheduledEventAttributes);
    assert.equal(scheduled?.length, 1);
  });

  it('ends a call that no worker ever started as failed, with zero attempts', async () => {
    const { report, outcomes } = await run({
      tools: [],
      policy: { deadlineMs: 1_500 },
      calls: [{ tool: 'nobody', script: ['ok'] }],
    });
    assert.equal(outcomes[0]?.kind, 'failed');
    assert.equal(outcomes[0]?.report.attempts, 0);
    assert.equal(failuresInARow(report, 'nobody'), 0);
    assert.equal(report.pool.spent, 0);
  });

  for (const [tool, kind] of [
    ['look', 'exhausted'],
    ['pay', 'exhausted'],
    ['send', 'unknown'],
  ] as const) {
    it(`says of ${tool} that the deadline cut off what it may have done`, async () => {
      const { report, outcomes } = await run({
        tools: [],
        policy: { deadlineMs: 700 },
        calls: [{ tool, script: ['ok'], note: 'silent' }],
      });
      const [outcome] = outcomes;
      assert.ok(outcome !== undefined && outcome.kind !== 'ok');
      const { class: kindOfError, reason, attempts, interruptions } = outcome.report;
      assert.equal(outcome.kind, kind);
      assert.deepEqual(
        [kindOfError, reason, attempts, interruptions],
        ['timeout', 'deadline', 0, 1],
      );
      assert.equal(outcome.report.effectMayHaveHappened, tool !== 'look');
      assert.equal(report.interruptionsLeft, 15);
      assert.deepEqual(report.pool, { total: 6, spent: 0, reserved: 0 });
    });
  }
});

function failuresInARow(report: RunReport, downstream: string): number | string {
  const breaker = report.breakers[downstream];
  return breaker?.kind === 'closed' ? breaker.failuresInARow : String(breaker?.kind);
}
