import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunReport } from 'holdfast/contract';
import { assertCancelled } from '../support/assert-cancelled.js';
import { failureOf } from '../support/failure-of.js';
import { waitingOf } from '../support/people-rig.js';
import { startUndoRig, type UndoRig } from '../support/undo-rig.js';
import type { SagaCall, SagaDone, SagaPlan } from './fixture/undo-workflows.js';

let rig: UndoRig;
let happenedTo: UndoRig['happenedTo'];
before(async () => {
  rig = await startUndoRig();
  ({ happenedTo } = rig);
});
after(() => rig.stop());

const undone = (prefix: string): string[] =>
  happenedTo(prefix).filter((line) => line.startsWith('unbook'));

const book = (note: string, input: Partial<SagaCall> = {}): SagaCall => ({
  tool: 'book',
  note,
  script: ['ok'],
  ...input,
});

const run = async (plan: SagaPlan): Promise<SagaDone> => (await rig.startSaga(plan)).result();

describe('a saga', () => {
  it('undoes nothing where its work ends well', async () => {
    const { thrown, report } = await run({ calls: [book('well')], end: 'return' });
    assert.equal(thrown, null);
    assert.deepEqual(happenedTo('well'), ['book well']);
    assert.equal(report.compensations, undefined);
  });

  it('undoes its calls in reverse order where its work throws, and throws on', async () => {
    const calls = [book('thr-a'), book('thr-b'), book('thr-c', { tool: 'pack' })];
    const { thrown, report } = await run({ calls, end: 'throw' });
    assert.equal(thrown, 'no use');
    assert.deepEqual(undone('thr'), ['unbook thr-c', 'unbook thr-b', 'unbook thr-a']);
    assert.deepEqual(report.compensations, [
      { call: 3, tool: 'pack', by: 'unbook', kind: 'undone' },
      { call: 2, tool: 'book', by: 'unbook', kind: 'undone' },
      { call: 1, tool: 'book', by: 'unbook', kind: 'undone' },
    ]);
  });

  it('is not answered with what was undone where its workflow comes to the call again', async () => {
    const calls = [book('again')];
    const first = await rig.startSaga({ calls, end: 'throw' });
    await first.result();
    const second = await rig.client.workflow.start('saga', {
      taskQueue: rig.taskQueue,
      workflowId: first.workflowId,
      args: [{ calls, end: 'return' }],
    });
    const { thrown, report }: SagaDone = await second.result();
    assert.match(thrown ?? '', /book has been undone by unbook: .* another occurrence/);
    assert.deepEqual(
      report.lines.map(({ kind, reason, undoes }) => [kind, reason, undoes]),
      [['failed', 'effect-undone', undefined]],
    );
    assert.deepEqual(happenedTo('again'), ['book again', 'unbook again']);
  });

  it('undoes calls whose undo has the same input each by itself', async () => {
    const calls = [book('same', { slowMs: 1 }), book('same', { slowMs: 2 })];
    const { report } = await run({ calls, end: 'throw' });
    assert.equal(report.compensations?.length, 2);
    const keys = rig.keys.get('same')?.filter((key) => key.startsWith('unbook'));
    assert.equal(new Set(keys).size, 2);
  });

  it('waits for calls in flight beside the one that failed, and undoes them too', async () => {
    const calls = [
      book('par-a', { slowMs: 900 }),
      book('par-b', { script: ['not-found'], slowMs: 100 }),
    ];
    const { thrown, report } = await run({ calls, parallel: true, end: 'return' });
    assert.match(thrown ?? '', /^book got no answer/);
    assert.equal(report.compensations?.length, 1);
    assert.equal(report.compensations[0]?.call, 1);
  });

  it('is undone with the saga around it, though it ended well itself', async () => {
    const plan: SagaPlan = { calls: [book('nest-a')], inner: [book('nest-b')], end: 'throw' };
    await run(plan);
    assert.deepEqual(undone('nest'), ['unbook nest-b', 'unbook nest-a']);
  });

  it('is undone once, where the saga inside and the one around it fail', async () => {
    const inner = [book('once-b'), book('once-c', { script: ['not-found'] })];
    const { report } = await run({ calls: [book('once-a')], inner, end: 'return' });
    assert.deepEqual(undone('once'), ['unbook once-b', 'unbook once-a']);
    assert.deepEqual(
      report.compensations?.map(({ call }) => call),
      [2, 1],
    );
  });

  it('refuses a call that a branch left behind starts after it failed', async () => {
    const { report } = await run({ calls: [book('left')], end: 'stray' });
    assert.deepEqual(happenedTo('stray'), []);
    const line = report.lines.find(({ kind, undoes }) => kind === 'failed' && undoes === undefined);
    assert.equal(line?.class, 'invalid-request');
  });

  it('cancels what its work would have awaited later, and is undone at once', async () => {
    const handle = await rig.startSaga({ calls: [book('later')], end: 'left' });
    const { thrown } = await handle.result();
    assert.match(thrown ?? '', /^book got no answer/);
    assert.deepEqual(undone('later'), ['unbook later']);
    const { events } = await handle.fetchHistory();
    assert.ok(!events?.some((event) => event.workflowTaskFailedEventAttributes));
  });

  it('keeps the run’s own pool as it was, with undo calls that retry', async () => {
    const calls = [book('pool', { script: ['network', 'ok'], undo: ['server', 'server', 'ok'] })];
    const { report } = await run({ calls, end: 'throw', policy: { globalRetryBudget: 1 } });
    assert.deepEqual(report.pool, { total: 1, spent: 1, reserved: 0 });
    assert.deepEqual(report.undo?.pool, { total: 10, spent: 2, reserved: 0 });
  });

  it('undoes in mode off as well', async () => {
    await run({ calls: [book('off')], end: 'throw', policy: { mode: 'off' } });
    assert.deepEqual(undone('off'), ['unbook off']);
  });

  it('can’t continue as new with something to undo: it undoes it and says so', async () => {
    const failure = await failureOf(
      await rig.startSaga({ calls: [book('anew')], end: 'continue-as-new' }),
    );
    assert.equal(failure.type, 'invalid-request');
    assert.match(failure.message, /^saga must end before the workflow continues as new/);
    assert.deepEqual(undone('anew'), ['unbook anew']);
  });
});

describe('a saga whose workflow is cancelled', () => {
  for (const end of ['sleep', 'swallow'] as const) {
    it(`is undone, and the run ends Cancelled, where its work ${end}s`, async () => {
      const note = `cancel-${end}`;
      const handle = await rig.startSaga({ calls: [book(note)], end });
      while (!(await isWaiting(handle))) await sleep(20);
      await handle.cancel();
      await assertCancelled(handle);
      assert.deepEqual(undone(note), [`unbook ${note}`]);
      const report = await handle.query<RunReport>('holdfast.report');
      assert.deepEqual(
        report.compensations?.map(({ kind }) => kind),
        ['undone'],
      );
    });
  }
});

describe('an unknown write in a saga', () => {
  it('is undone where the run is cancelled while it waits to be settled', async () => {
    const post: SagaCall = { tool: 'post', note: 'settling', script: ['network'] };
    const policy = { onUnknown: 'wait' };
    const handle = await rig.startSaga({ calls: [post], end: 'return', policy });
    await waitingOf(handle, 'unknowns');
    await handle.cancel();
    await assert.rejects(handle.result());
    assert.deepEqual(undone('settling'), ['unbook settling, unanswered']);
    const { lines } = await handle.query<RunReport>('holdfast.report');
    assert.equal(lines[0]?.kind, 'unknown');
    assert.equal(lines[0]?.attempts, 1);
  });
});

/** Tells whether the work has come to its long sleep. */
async function isWaiting(handle: Awaited<ReturnType<UndoRig['startSaga']>>): Promise<boolean> {
  const { events } = await handle.fetchHistory();
  return events?.some((event) => event.timerStartedEventAttributes) === true;
}
