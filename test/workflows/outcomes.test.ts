import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FailureReport, Outcome } from 'holdfast/contract';
import { type CallsRig, startCallsRig } from '../support/calls-rig.js';
import { failureOf } from '../support/failure-of.js';

let rig: CallsRig;
let run: CallsRig['run'];

before(async () => {
  rig = await startCallsRig();
  run = rig.run;
});
after(() => rig.stop());

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

  it('lets no other write stand in for one that may have happened', async () => {
    for (const [script, kind, paidElse] of [
      ['network', 'exhausted', 0],
      ['rate-limit', 'degraded', 1],
    ] as const) {
      rig.seen.length = 0;
      const { outcomes } = await run({
        tools: [],
        calls: [{ tool: 'pay_elsewhere', script: [script], note: script }],
      });
      assert.equal(outcomes[0]?.kind, kind);
      assert.equal(rig.seen.filter((attempt) => attempt.startsWith('pay#')).length, paidElse);
    }
  });

  it('sends what was asked for, where the caller’s object changes before it is sent again', async () => {
    const { client, taskQueue, id } = rig;
    const options = { taskQueue, workflowId: id('changes'), args: [] };
    const outcome: Outcome<unknown> = await client.workflow.execute('changesMidway', options);
    assert.ok(outcome.kind === 'ok');
    assert.deepEqual(outcome.value, { attempt: 1, note: 'as asked' });
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
    rig.seen.length = 0;
    const { outcomes } = await run({
      tools: [],
      calls: [{ tool: 'send', script: ['hang', 'ok'] }],
    });
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'unknown');
    assert.equal(outcome.report.effectMayHaveHappened, true);
    assert.deepEqual(rig.seen, ['send#1']);
  });

  it('sends an idempotent write again with the same key', async () => {
    const { outcomes } = await run({
      tools: [],
      calls: [{ tool: 'pay', script: ['timeout', 'ok'] }],
    });
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.equal(outcomes[0]?.report.attempts, 2);
  });

  it('is failed, and no effect is in doubt, where no worker has the tool', async () => {
    const { outcomes, report } = await run({
      tools: [],
      calls: [{ tool: 'missing', script: ['ok'] }],
    });
    const [outcome] = outcomes;
    assert.ok(outcome?.kind === 'failed');
    assert.match(outcome.report.message, /not registered/);
    assert.equal(outcome.report.class, 'not-found');
    assert.equal(outcome.report.effectMayHaveHappened, false);
    assert.deepEqual(report.breakers.missing, {
      generation: 0,
      kind: 'closed',
      failuresInARow: 0,
    });
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

describe('a tool whose own functions throw in the workflow', () => {
  for (const [what, note, message] of [
    ['identity', 'identity', /^odd: no identity$/],
    ['asynchronous check', 'async', /^odd: .*Promise/],
  ] as const) {
    it(`is refused by its ${what}, and no workflow task is repeated`, async () => {
      const { outcomes } = await run({ tools: [], calls: [{ tool: 'odd', script: ['ok'], note }] });
      const [outcome] = outcomes;
      assert.equal(outcome?.kind, 'failed');
      assert.match(outcome.report.message, message);
      assert.equal(outcome.report.attempts, 0);
    });
  }

  it('gets no fallback where that throws', async () => {
    const { outcomes } = await run({ tools: [], calls: [{ tool: 'odd', script: ['auth'] }] });
    assert.equal(outcomes[0]?.kind, 'exhausted');
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
