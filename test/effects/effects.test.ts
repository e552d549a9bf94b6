import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import type { Outcome, PolicyInput } from 'holdfast/contract';
import { runHoldfast } from '../support/holdfast-command.js';
import { type Rig, startRig } from '../support/rig.js';
import { until } from '../support/until.js';
import type { Call, Done } from './fixture/workflows.js';
import { createWorld } from './fixture/world.js';

type Script = Call['input']['script'];
type Waiting = { readonly key: string; readonly tool: string; readonly reason: string };

const world = createWorld();
let rig: Rig;

before(async () => {
  rig = await startRig({
    workflows: 'test/effects/fixture/workflows.js',
    implementations: world.implementations,
  });
});
after(() => rig.stop());

let ids = 0;
const newId = (): string => `effect-${++ids}`;

function start(calls: readonly Call[], policy?: PolicyInput): Promise<WorkflowHandle> {
  return rig.client.workflow.start('effects', {
    taskQueue: rig.taskQueue,
    workflowId: rig.id('effects'),
    args: [{ calls, policy }],
  });
}

async function outcomesOf(calls: readonly Call[], policy?: PolicyInput): Promise<Done> {
  return (await start(calls, policy)).result();
}

function call(tool: Call['tool'], id: string, ...script: Script): Call {
  return { tool, input: { id, script } };
}

async function waitingOf(handle: WorkflowHandle): Promise<Waiting> {
  let waiting: Waiting | undefined;
  await until(async () => {
    [waiting] = await handle.query<Waiting[]>('holdfast.unknowns');
    return waiting !== undefined;
  });
  assert.ok(waiting);
  return waiting;
}

function unanswered(
  outcome: Outcome<unknown> | undefined,
): Exclude<Outcome<unknown>, { value: unknown }> {
  assert.ok(outcome !== undefined && !('value' in outcome));
  return outcome;
}

describe('an effect that has happened', () => {
  it('is answered from the ledger at no cost', async () => {
    const id = newId();
    const { outcomes, report } = await outcomesOf([
      call('mail', id, 'refused', 'ok'),
      call('mail', id, 'ok'),
    ]);
    const [first, second] = outcomes;
    assert.ok(first?.kind === 'ok' && second?.kind === 'ok');
    assert.deepEqual([first.report.replayed, second.report.replayed], [false, true]);
    assert.deepEqual([second.report.attempts, second.value], [0, { id }]);
    assert.equal(report.attempts, 2);
    assert.equal(world.landed(id), 1);
  });

  it('is answered with a mark where only the words of its arguments differ', async () => {
    const id = newId();
    const reworded = { ...call('mail', id, 'ok').input, note: 'as the model says it now' };
    const { outcomes } = await outcomesOf([
      call('mail', id, 'ok'),
      { tool: 'mail', input: reworded },
    ]);
    const [, second] = outcomes;
    assert.ok(second?.kind === 'ok');
    assert.deepEqual([second.report.replayed, second.report.argumentsDiffer], [true, true]);
    assert.equal(world.landed(id), 1);
  });

  it('is refused again where the tool said so for good, without being asked again', async () => {
    const id = newId();
    const { outcomes } = await outcomesOf([call('mail', id, 'stolen'), call('mail', id, 'ok')]);
    const second = unanswered(outcomes[1]);
    assert.deepEqual([second.kind, second.report.replayed], ['failed', true]);
    assert.match(second.report.message, /stolen/);
    assert.equal(world.attempts(id), 1);
  });
});

describe('a timeout on a write', () => {
  it('is not retried blindly: the effect lands after it, and there is one', async () => {
    const id = newId();
    const { outcomes } = await outcomesOf([call('mail', id, 'lands-late')]);
    const [only] = outcomes;
    assert.equal(only?.kind, 'unknown');
    assert.equal(unanswered(only).report.effectMayHaveHappened, true);
    await until(() => world.landed(id) > 0);
    assert.deepEqual([world.landed(id), world.attempts(id)], [1, 1]);
  });

  it('is retried under the same key where the downstream honours it, and there is one', async () => {
    const id = newId();
    const { outcomes } = await outcomesOf([call('pay', id, 'lands-late', 'ok')]);
    assert.equal(outcomes[0]?.kind, 'ok');
    await new Promise((resolve) => setTimeout(resolve, 2_000)); // until the late one would have landed
    assert.deepEqual([world.landed(id), world.attempts(id)], [1, 2]);
  });

  it('is cleared up by a probe, which finds what has landed late', async () => {
    const id = newId();
    const { outcomes } = await outcomesOf([call('wire', id, 'lands-late')], { maxAttempts: 1 });
    const [only] = outcomes;
    assert.ok(only?.kind === 'ok');
    assert.equal(only.report.replayed, true);
    assert.deepEqual([world.landed(id), world.attempts(id)], [1, 1]);
  });
});

describe('a reset on a write', () => {
  it('leaves it unknown, also for the next call of it', async () => {
    const id = newId();
    const { outcomes } = await outcomesOf([call('mail', id, 'reset'), call('mail', id, 'ok')]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['unknown', 'unknown'],
    );
    assert.equal(unanswered(outcomes[1]).report.reason, 'effect-unknown');
    assert.deepEqual([world.landed(id), world.attempts(id)], [1, 1]);
  });

  it('is sent again where a probe finds nothing once the lease is over', async () => {
    const id = newId();
    const { outcomes } = await outcomesOf([call('wire', id, 'server', 'ok')]);
    const [only] = outcomes;
    assert.ok(only?.kind === 'ok');
    assert.equal(only.report.retries, 1);
    assert.deepEqual([world.landed(id), world.attempts(id)], [1, 2]);
  });

  it('stays unknown where the probe doesn’t know', async () => {
    const id = newId();
    world.bankSays = 'unknown';
    const { outcomes } = await outcomesOf([call('wire', id, 'reset')]);
    world.bankSays = 'truth';
    assert.equal(outcomes[0]?.kind, 'unknown');
    assert.equal(world.attempts(id), 1);
  });
});

describe('an unknown effect that waits for a person', () => {
  const policy: PolicyInput = { onUnknown: 'wait' };

  it('is answered by the result that the person brings, and from then on by the ledger', async () => {
    const id = newId();
    const calls = [call('mail', id, 'reset'), call('mail', id, 'ok')];
    const handle = await start(calls, policy);
    const { key } = await waitingOf(handle);
    const args = [{ key, done: true, result: { id: 'as seen' }, by: 'ops' }] as const;
    await handle.executeUpdate('holdfast.settle', { args: [...args] });
    const { outcomes, report }: Done = await handle.result();
    const values = outcomes.map((outcome) => ('value' in outcome ? outcome.value : outcome.kind));
    assert.deepEqual(values, [{ id: 'as seen' }, { id: 'as seen' }]);
    assert.equal(report.pool.spent, 0);
    assert.equal(world.attempts(id), 1);
  });

  it('is settled from the shell, which tells the workflow', async () => {
    const id = newId();
    const handle = await start([call('mail', id, 'reset')], policy);
    const { key } = await waitingOf(handle);
    const result = JSON.stringify({ id: 'from the shell' });
    const ended = await runHoldfast(
      ['ledger', 'settle', key, '--done', '--result', result, '--by', 'ops', '--json'],
      { env: { HOLDFAST_LEDGER: rig.ledgerPath, TEMPORAL_ADDRESS: rig.address } },
    );
    assert.equal(ended.code, 0, JSON.stringify(ended));
    const { outcomes }: Done = await handle.result();
    assert.deepEqual(outcomes[0]?.kind === 'ok' && outcomes[0].value, { id: 'from the shell' });
    assert.equal(world.attempts(id), 1);
  });

  it('runs where the person says that it has not happened', async () => {
    const id = newId();
    const handle = await start([call('mail', id, 'server', 'ok')], policy);
    const { key, reason } = await waitingOf(handle);
    assert.match(reason, /internal/);
    await handle.executeUpdate('holdfast.settle', { args: [{ key, done: false, by: 'ops' }] });
    const { outcomes }: Done = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.deepEqual([world.landed(id), world.attempts(id)], [1, 2]);
  });

  it('waits again where what runs then is unknown once more: a word is good for one attempt', async () => {
    const id = newId();
    const handle = await start([call('mail', id, 'server', 'reset')], policy);
    const settle = async (done: boolean): Promise<void> => {
      const { key } = await waitingOf(handle);
      const result = done ? { id } : undefined;
      await handle.executeUpdate('holdfast.settle', { args: [{ key, done, result, by: 'ops' }] });
    };
    await settle(false);
    await until(() => world.attempts(id) === 2);
    await settle(true);
    const { outcomes }: Done = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.deepEqual([world.landed(id), world.attempts(id)], [1, 2]);
  });

  it('waits again, too, where a probe that doesn’t know is asked first', async () => {
    const id = newId();
    world.bankSays = 'unknown';
    const handle = await start([call('wire', id, 'server', 'reset')], policy);
    const { key } = await waitingOf(handle);
    await handle.executeUpdate('holdfast.settle', { args: [{ key, done: false, by: 'ops' }] });
    await until(() => world.attempts(id) === 2);
    const again = await waitingOf(handle);
    world.bankSays = 'truth';
    const word = { key: again.key, done: true, result: { id }, by: 'ops' };
    await handle.executeUpdate('holdfast.settle', { args: [word] });
    const { outcomes }: Done = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.deepEqual([world.landed(id), world.attempts(id)], [1, 2]);
  });

  it('is unknown at the deadline', async () => {
    const id = newId();
    const { outcomes } = await outcomesOf([call('mail', id, 'reset')], {
      ...policy,
      deadlineMs: 4_000,
    });
    assert.equal(outcomes[0]?.kind, 'unknown');
  });
});

describe('cancelling a task', () => {
  type Line = { readonly kind: string };

  async function cancelInFlight(id: string, ...script: Script): Promise<Line | undefined> {
    const next = newId();
    const handle = await start([call('mail', id, ...script), call('mail', next, 'ok')]);
    await until(() => world.attempts(id) === 1);
    await handle.cancel();
    await assert.rejects(handle.result(), /[Cc]ancel/);
    const { lines } = await handle.query<{ readonly lines: readonly Line[] }>('holdfast.state');
    assert.equal(world.attempts(next), 0);
    return lines[0];
  }

  it('waits for the write in flight, whose answer it keeps, and ends cancelled', async () => {
    const id = newId();
    const line = await cancelInFlight(id, 'slow');
    assert.equal(line?.kind, 'ok');
    assert.equal(world.landed(id), 1);
  });

  it('says unknown of a write in flight that never answered', async () => {
    const line = await cancelInFlight(newId(), 'lands-late');
    assert.equal(line?.kind, 'unknown');
  });
});

describe('arguments that can’t be sent', () => {
  for (const kind of ['bigint', 'nan', 'cycle', 'function']) {
    it(`are refused where JSON can’t carry them, though the schema takes them: ${kind}`, async () => {
      const done: Done = await rig.client.workflow.execute('callsOddly', {
        taskQueue: rig.taskQueue,
        workflowId: rig.id('oddly'),
        args: [kind],
      });
      for (const outcome of done.outcomes) {
        const { kind: end, report } = unanswered(outcome);
        assert.deepEqual([end, report.class, report.attempts], ['failed', 'invalid-request', 0]);
        assert.match(report.message, /\.input must be JSON/);
      }
    });
  }

  it('are refused with their size and the limit before anything is scheduled', async () => {
    const note = 'x'.repeat(3_000);
    const input = { ...call('mail', newId(), 'ok').input, note };
    const { outcomes } = await outcomesOf([{ tool: 'mail', input }], { maxPayloadBytes: 1_000 });
    const { kind, report } = unanswered(outcomes[0]);
    assert.deepEqual([kind, report.attempts], ['failed', 0]);
    assert.match(report.message, /mail\.input must be at most 1000 bytes as JSON, got 30\d\d/);
  });
});
