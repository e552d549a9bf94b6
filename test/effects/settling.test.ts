import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PolicyInput } from 'holdfast/contract';
import { runHoldfast } from '../support/holdfast-command.js';
import { until } from '../support/until.js';
import { call, type Effects, newId, startEffects, waitingOf } from './effects-rig.js';
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

  it('takes no result that the tool couldn’t have answered', async () => {
    const handle = await start([call('mail', newId(), 'reset')], policy);
    const { key } = await waitingOf(handle);
    const settle = (result: unknown): Promise<unknown> =>
      handle.executeUpdate('holdfast.settle', { args: [{ key, done: true, result, by: 'ops' }] });
    await assert.rejects(settle({ nope: 1 }), (error: Error) => {
      assert.match(String(error.cause), /settlement\.result of mail\.id .* got undefined/);
      return true;
    });
    await settle({ id: 'fits' });
    const { outcomes }: Done = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
  });

  it('is settled from the shell, which tells the workflow', async () => {
    const id = newId();
    const handle = await start([call('mail', id, 'reset')], policy);
    const { key } = await waitingOf(handle);
    const result = JSON.stringify({ id: 'from the shell' });
    const ended = await runHoldfast(
      ['ledger', 'settle', key, '--done', '--result', result, '--by', 'ops', '--json'],
      { env: { HOLDFAST_LEDGER: effects.rig.ledgerPath, TEMPORAL_ADDRESS: effects.rig.address } },
    );
    assert.equal(ended.code, 0, JSON.stringify(ended));
    const { outcomes }: Done = await handle.result();
    assert.deepEqual(outcomes[0]?.kind === 'ok' && outcomes[0].value, { id: 'from the shell' });
    assert.equal(world.attempts(id), 1);
  });

  const refused = [
    {
      what: 'who may not settle',
      result: '{"id":"fits"}',
      by: 'mallory',
      says: /not by "mallory"/,
    },
    { what: 'a result that doesn’t fit', result: '{"nope":1}', by: 'ops', says: /mail\.id/ },
  ];
  for (const { what, result, by, says } of refused) {
    it(`is not settled from the shell, and not in the ledger, by ${what}`, async () => {
      const id = newId();
      const handle = await start([call('mail', id, 'reset')], { ...policy, deciders: ['ops'] });
      const { key } = await waitingOf(handle);
      const shell = (...args: string[]) =>
        runHoldfast(['ledger', ...args], {
          env: { HOLDFAST_LEDGER: effects.rig.ledgerPath, TEMPORAL_ADDRESS: effects.rig.address },
        });
      const ended = await shell('settle', key, '--done', '--result', result, '--by', by);
      assert.equal(ended.code, 1, JSON.stringify(ended));
      assert.match(ended.stderr, says);
      const shown = await shell('show', key, '--json');
      assert.equal((JSON.parse(shown.stdout) as { readonly state: string }).state, 'unknown');
      assert.equal((await waitingOf(handle)).key, key);
      await handle.terminate();
    });
  }

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
