import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/until.js';
import { call, type Effects, newId, type Script, startEffects, unanswered } from './effects-rig.js';
import type { Done } from './fixture/workflows.js';

let effects: Effects;
let world: Effects['world'];
let start: Effects['start'];
let outcomesOf: Effects['outcomesOf'];

before(async () => {
  effects = await startEffects();
  ({ world, start, outcomesOf } = effects);
});
after(() => effects.rig.stop());

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
      const done: Done = await effects.rig.client.workflow.execute('callsOddly', {
        taskQueue: effects.rig.taskQueue,
        workflowId: effects.rig.id('oddly'),
        args: [kind],
      });
      for (const outcome of done.outcomes) {
        const { kind: end, report } = unanswered(outcome);
        assert.deepEqual([end, report.class, report.attempts], ['failed', 'invalid-request', 0]);
        assert.match(report.message, /\.input[.\w]* must be JSON/);
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
