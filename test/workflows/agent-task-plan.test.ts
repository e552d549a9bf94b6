import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RunState } from 'holdfast/contract';
import { startTaskRig, type TaskRig } from '../support/task-rig.js';

let rig: TaskRig;
before(async () => {
  rig = await startTaskRig();
});
after(() => rig.stop());

type Named = readonly [tool: string, failures: number, required?: boolean];

/** A chain of tools with known rates, each of which fails so many times. */
function chain(...tools: readonly Named[]): object {
  return {
    steps: tools.map(([tool, failures, required = true]) => ({
      id: tool,
      tool,
      input: { failures },
      required,
    })),
  };
}

async function sharesOf(task: object): Promise<readonly (readonly [number, number])[]> {
  const { report } = await rig.result(task);
  return report.lines.map(({ share, retries }) => [share, retries]);
}

// Worked by hand. One more retry of a tool of rate f rescues f^(k+1)(1-f):
//   one_in_two   0.25, 0.125      three_in_ten 0.21, 0.063      one_in_ten 0.09, 0.009
// Each takes two retries at most (three attempts, and its breaker opens at three failures).
describe('the plan of a chain', () => {
  it('hands unused retries back and plans the rest of the chain again', async () => {
    // 3 retries: 0.25, 0.21, 0.125 → 2, 1, 0. The first two come back: 0.21, 0.09, 0.063 → 2, 1.
    // Of those one is used, so 2 are left for the last: 0.09, 0.009 → 2.
    const task = chain(['one_in_two', 0], ['three_in_ten', 1], ['one_in_ten', 0]);
    assert.deepEqual(await sharesOf(task), [
      [2, 0],
      [2, 1],
      [2, 0],
    ]);
  });

  it('leaves the rest what the first steps have not spent', async () => {
    // 2 of 3 are used by the first; the last one goes to 0.21 rather than 0.09, and is used as well.
    const task = chain(['one_in_two', 2], ['three_in_ten', 1], ['one_in_ten', 0]);
    assert.deepEqual(await sharesOf(task), [
      [2, 2],
      [1, 1],
      [0, 0],
    ]);
  });

  it('saves retries for a later step that gains more by them', async () => {
    // 0.25, 0.21, 0.125 come before the 0.09 of the step that runs first.
    const task = chain(['one_in_ten', 0], ['one_in_two', 0], ['three_in_ten', 0]);
    assert.deepEqual((await sharesOf(task))[0], [0, 0]);
  });

  it('serves required steps before optional ones that would gain more', async () => {
    // Both retries of the required 0.09 and 0.009 come first; one of 3 is left for 0.25.
    const task = chain(['one_in_two', 0, false], ['one_in_ten', 0]);
    assert.deepEqual(await sharesOf(task), [
      [1, 0],
      [2, 0],
    ]);
  });

  it('gives no retry to an optional step while required ones take them all', async () => {
    const task = { ...chain(['one_in_two', 1, false], ['one_in_ten', 0]), tenant: 'one' };
    assert.deepEqual(await sharesOf(task), [
      [0, 0],
      [1, 0],
    ]);
  });
});

describe('what a task says for itself', () => {
  it('chooses the tenant’s layer of the policy, and stands in the state', async () => {
    const handle = await rig.start({ ...chain(['one_in_two', 0]), tenant: 'one' });
    await handle.result();
    const state = await handle.query<RunState>('holdfast.state');
    assert.equal(state.tenant, 'one');
    assert.deepEqual(state.pool, { total: 1, spent: 0, reserved: 0 });
  });

  it('sets the deadline that each activity gets what is left of', async () => {
    const handle = await rig.start({ ...chain(['one_in_two', 0]), deadlineMs: 4_321 });
    await handle.result();
    const { events } = await handle.fetchHistory();
    const scheduled = events?.find((event) => event.activityTaskScheduledEventAttributes);
    const { seconds, nanos } =
      scheduled?.activityTaskScheduledEventAttributes?.scheduleToCloseTimeout ?? {};
    assert.equal(Number(seconds) * 1_000 + Number(nanos) / 1e6, 4_321);
  });

  it('ends what it can’t do before its deadline with the reason deadline', async () => {
    const late = { tool: 'one_in_two', input: { takesMs: 5_000 }, required: false };
    const result = await rig.result({
      deadlineMs: 600,
      tenant: 'patient', // whose retries would all come too late
      steps: [
        { ...late, id: 'a' },
        { ...late, id: 'b' },
      ],
    });
    assert.equal(result.kind, 'partial');
    assert.deepEqual(
      result.report.lines.map(({ reason }) => reason),
      ['deadline', 'deadline'],
    );
  });
});
