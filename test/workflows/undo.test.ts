import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { RunReport, Step, TaskFailure } from 'holdfast/contract';
import { assertCancelled } from '../support/assert-cancelled.js';
import { failureOf } from '../support/failure-of.js';
import { startUndoRig, type UndoRig } from '../support/undo-rig.js';

let rig: UndoRig;
let happenedTo: UndoRig['happenedTo'];
before(async () => {
  rig = await startUndoRig();
  ({ happenedTo } = rig);
});
after(() => rig.stop());

const book = (id: string, note: string, input: object = {}): Step => ({
  id,
  tool: 'book',
  input: { note, script: ['ok'], ...input },
});
const failing: Step = { id: 'last', tool: 'pack', input: { note: 'none', script: ['not-found'] } };

async function failedTask(steps: readonly Step[], tenant?: string): Promise<TaskFailure> {
  const failure = await failureOf(
    await rig.startTask({ steps, ...(tenant === undefined ? {} : { tenant }) }),
  );
  const [detail] = failure.details ?? [];
  return detail as TaskFailure; // what a failed task says
}

const kinds = ({ compensations }: Pick<RunReport, 'compensations'>): string[] =>
  (compensations ?? []).map(({ step, by, kind }) => `${step} by ${by}: ${kind}`);

describe('a task whose required step fails', () => {
  it('undoes the steps before it in reverse order, and says so', async () => {
    const detail = await failedTask([book('a', 'rev-a'), book('b', 'rev-b'), failing]);
    assert.deepEqual(happenedTo('rev'), [
      'book rev-a',
      'book rev-b',
      'unbook rev-b',
      'unbook rev-a',
    ]);
    assert.deepEqual(detail.compensations, [
      { call: 2, step: 'b', tool: 'book', by: 'unbook', kind: 'undone' },
      { call: 1, step: 'a', tool: 'book', by: 'unbook', kind: 'undone' },
    ]);
    assert.equal(detail.failedStep, 'last');
  });

  it('marks the lines of its undo calls with the call that each undoes', async () => {
    const { lines } = await failedTask([book('a', 'line-a'), failing]);
    assert.deepEqual(
      lines.map(({ call, tool, undoes }) => [call, tool, undoes]),
      [
        [1, 'book', undefined],
        [2, 'pack', undefined],
        [3, 'unbook', 1],
      ],
    );
  });

  it('undoes the failed step itself where its effect may have happened', async () => {
    const ambiguous = book('b', 'amb-b', { script: ['server'] });
    const detail = await failedTask([book('a', 'amb-a'), ambiguous]);
    assert.deepEqual(
      happenedTo('amb').filter((line) => line.startsWith('unbook')),
      ['unbook amb-b, unanswered', 'unbook amb-a'],
    );
    assert.deepEqual(kinds(detail), ['b by unbook: undone', 'a by unbook: undone']);
  });

  it('undoes a write of which nobody knows, and one that an optional step left behind', async () => {
    const unknown: Step = {
      id: 'p',
      tool: 'post',
      required: false,
      input: { note: 'unk-p', script: ['timeout'] },
    };
    const detail = await failedTask([unknown, failing]);
    assert.deepEqual(happenedTo('unk'), ['post unk-p', 'unbook unk-p, unanswered']);
    assert.deepEqual(kinds(detail), ['p by unbook: undone']);
  });

  it('undoes nothing that was refused before it could happen', async () => {
    const refused = book('a', 'ref-a', { script: ['not-found'] });
    const detail = await failedTask([{ ...refused, required: false }, failing]);
    assert.deepEqual(happenedTo('ref'), ['book ref-a']);
    assert.deepEqual(detail.compensations, []);
    assert.equal('undo' in detail, false);
  });

  it('undoes a step by what the step says, which may take that step’s own answer', async () => {
    const packing: Step = {
      id: 'packed',
      tool: 'pack',
      input: { note: 'own-x', script: ['server', 'ok'] },
      compensate: {
        tool: 'unbook',
        input: { note: { $ref: 'packed#/note' }, script: ['ok'], answered: true },
      },
    };
    const detail = await failedTask([packing, failing]);
    assert.deepEqual(kinds(detail), ['packed by unbook: undone']);
    assert.deepEqual(happenedTo('own').at(-1), 'unbook own-x');
  });

  it('undoes the others where the input of one can’t be made, or its undo fails', async () => {
    const dangling: Step = {
      id: 'lost',
      tool: 'pack',
      required: false,
      input: { note: 'mix-l', script: ['server'] },
      compensate: {
        tool: 'unbook',
        input: { note: { $ref: 'lost#/note' }, script: ['ok'], answered: false },
      },
    };
    const detail = await failedTask([
      book('a', 'mix-a'),
      book('b', 'mix-b', { undo: ['auth'] }),
      book('c', 'mix-c', { cannotUndo: true }),
      dangling,
      failing,
    ]);
    assert.deepEqual(
      detail.compensations.map(({ step, kind, message }) => [step, kind, message]),
      [
        ['lost', 'not-made', 'Its input needs lost#/note, but step lost got no answer.'],
        ['c', 'not-made', 'no input for it'],
        ['b', 'failed', 'scripted auth'],
        ['a', 'undone', undefined],
      ],
    );
  });
});

describe('what undoing costs', () => {
  it('leaves the budget of the run as it was', async () => {
    const steps = [
      book('a', 'cost-a', { undo: ['server', 'ok'], script: ['network', 'ok'] }),
      failing,
    ];
    const detail = await failedTask(steps);
    assert.deepEqual(detail.pool, { total: 6, spent: 1, reserved: 0 });
    assert.equal(detail.retries, 1);
    assert.deepEqual([detail.counts.ok, detail.counts.failed, detail.attempts], [1, 1, 3]);
    assert.deepEqual(detail.undo?.pool, { total: 10, spent: 1, reserved: 0 });
    assert.deepEqual([detail.undo?.counts.ok, detail.undo?.attempts], [1, 2]);
  });

  it('takes retries from a pool of its own, which may be empty', async () => {
    const steps = [book('a', 'none-a', { undo: ['server'] }), failing];
    const detail = await failedTask(steps, 'without retries');
    assert.deepEqual(happenedTo('none-a'), ['book none-a', 'unbook none-a']);
    assert.deepEqual(kinds(detail), ['a by unbook: failed']);
    assert.deepEqual(detail.pool, { total: 6, spent: 0, reserved: 0 });
  });
});

describe('an undo whose breaker is open', () => {
  const opening: Step = {
    id: 'open',
    tool: 'ask_cancellations',
    required: false,
    input: { note: 'none', script: ['server'] },
  };

  it('waits until the breaker probes, and is the probe', async () => {
    const detail = await failedTask([book('a', 'brk-a'), opening, failing], 'probing');
    assert.deepEqual(kinds(detail), ['a by unbook: undone']);
    assert.deepEqual(
      detail.lines.filter(({ undoes }) => undoes === 1).map(({ kind }) => kind),
      ['rejected', 'ok'],
    );
    assert.equal(detail.breakers.cancellations?.kind, 'closed');
  });

  it('has failed where the breaker would probe after the deadline of undoing', async () => {
    const detail = await failedTask([book('a', 'late-a'), opening, failing], 'brief');
    assert.deepEqual(kinds(detail), ['a by unbook: failed']);
    assert.match(detail.compensations[0]?.message ?? '', /^The breaker for cancellations is open/);
    assert.deepEqual(happenedTo('late'), ['book late-a']);
  });
});

describe('a task that is cancelled', () => {
  it('waits for the step in flight, undoes it with the others, and ends Cancelled', async () => {
    const handle = await rig.startTask({
      steps: [book('a', 'can-a'), book('b', 'can-b', { slowMs: 1_000 }), failing],
    });
    await cancelOnce('book can-b', handle);
    assert.deepEqual(
      happenedTo('can').filter((line) => line.startsWith('unbook')),
      ['unbook can-b', 'unbook can-a'],
    );
    const report = await handle.query<RunReport>('holdfast.report');
    assert.deepEqual(kinds(report), ['b by unbook: undone', 'a by unbook: undone']);
    assert.equal(
      report.compensations?.some((one) => 'message' in one),
      false,
    );
  });

  it('ends Cancelled where it was the last step that was still answered', async () => {
    const handle = await rig.startTask({ steps: [book('a', 'end-a', { slowMs: 1_000 })] });
    await cancelOnce('book end-a', handle);
    assert.deepEqual(happenedTo('end'), ['book end-a', 'unbook end-a']);
  });

  it('ends Cancelled with nothing to undo', async () => {
    const slow: Step = {
      id: 'a',
      tool: 'pack',
      input: { note: 'bare', script: ['ok'], slowMs: 900 },
    };
    const handle = await rig.startTask({ steps: [slow] });
    await cancelOnce('pack bare', handle);
    const report = await handle.query<RunReport>('holdfast.report');
    assert.equal(report.compensations, undefined);
  });
});

/** Cancels a run once an attempt has begun, and waits until it has ended Cancelled. */
async function cancelOnce(begun: string, handle: WorkflowHandle): Promise<void> {
  while (!rig.happened.includes(begun)) await sleep(20);
  await handle.cancel();
  await assertCancelled(handle);
}
