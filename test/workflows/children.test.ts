import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RunState } from 'holdfast/contract';
import { type Rig, startRig } from '../support/rig.js';
import { runTemporal } from '../support/temporal-command.js';
import type { ChildSaid, ParentPlan } from './fixture/child-workflows.js';
import { implementations, type Seen } from './fixture/implementations.js';

const UUID = '0b6f3c1e-9a52-4d7c-8b1f-3f2f6a9d1c55';
const uuidShaped = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

let rig: Rig;
const seen: Seen = [];
before(async () => {
  rig = await startRig({
    workflows: 'test/workflows/fixture/child-workflows.js',
    implementations: implementations(seen),
    dynamicConfig: { 'history.transferProcessorMaxPollRPS': '2000' },
  });
});
after(() => rig.stop());

type Said = readonly (readonly [id: string, said: ChildSaid])[];

async function runParent(plan: ParentPlan): Promise<{ readonly id: string; readonly said: Said }> {
  const id = rig.id('parent');
  const { taskQueue, client } = rig;
  const said: Said = await client.workflow.execute('parent', {
    taskQueue,
    workflowId: id,
    args: [plan],
  });
  return { id, said };
}

describe('a child of a governed run', () => {
  it('is named after its parent, its type and how many came before, where nobody named it', async () => {
    const children = [{ type: 'paying' }, { type: 'looking' }, { type: 'paying' }] as const;
    const { id, said } = await runParent({ children });
    const ids = [`${id}/paying/1`, `${id}/looking/1`, `${id}/paying/2`];
    assert.deepEqual(
      said.map(([handle]) => handle),
      ids,
    );
    assert.deepEqual(
      said.map(([, { workflowId }]) => workflowId),
      ids,
    );
    assert.deepEqual(
      said.map(([, { outcome }]) => outcome.kind),
      ['ok', 'ok', 'ok'],
    );
  });

  it('is named once each, where several start at the same moment', async () => {
    const id = rig.id('many');
    const { taskQueue, client } = rig;
    const ids = await client.workflow.execute('parentOfMany', {
      taskQueue,
      workflowId: id,
      args: [5],
    });
    assert.deepEqual(
      ids,
      [1, 2, 3, 4, 5].map((number) => `${id}/paying/${number}`),
    );
  });

  it('keeps the name that its parent gave it, a UUID too, and may write', async () => {
    const own = rig.id('named');
    const { said } = await runParent({
      children: [
        { type: 'paying', named: { id: own } },
        { type: 'paying', named: { id: `${UUID.slice(0, -4)}0001` } },
        { type: 'paying', named: 'own' },
      ],
    });
    assert.deepEqual(
      said.map(([handle, { workflowId, outcome }]) => [handle === workflowId, outcome.kind]),
      [
        [true, 'ok'],
        [true, 'ok'],
        [true, 'ok'],
      ],
    );
    assert.deepEqual(said[0]?.[0], own);
    assert.deepEqual(said[1]?.[0], `${UUID.slice(0, -4)}0001`);
    assert.match(said[2]?.[0] ?? '', uuidShaped);
  });

  it('counts on when the parent continues as new', async () => {
    const { id, said } = await runParent({ children: [{ type: 'looking' }], again: 2 });
    assert.deepEqual(
      said.map(([handle]) => handle),
      [`${id}/looking/3`],
    );
    const state = await rig.client.workflow.getHandle(id).query<RunState>('holdfast.state');
    assert.deepEqual(state.children, { looking: 3 });
  });

  it('has the same name after the parent is reset, and so the same keys', async () => {
    const { id, said } = await runParent({ children: [{ type: 'paying' }, { type: 'looking' }] });
    const args = ['-w', id, '--event-id', '4', '--reason', 'test'];
    const ended = await runTemporal(rig.address, ['workflow', 'reset', ...args]);
    assert.equal(ended.code, 0, ended.output);
    const again: Said = await rig.client.workflow.getHandle(id).result();
    assert.deepEqual(
      again.map(([handle]) => handle),
      said.map(([handle]) => handle),
    );
    assert.equal(await keyOfWrite(`${id}/paying/1`), await keyOfWrite(`${id}/paying/1`, 'first'));
  });

  for (const mode of ['observe', 'off'] as const) {
    it(`keeps the SDK's id in mode ${mode}`, async () => {
      const { said } = await runParent({ mode, children: [{ type: 'looking' }] });
      assert.match(said[0]?.[0] ?? '', uuidShaped);
    });
  }
});

describe('a write in a child whose id is random', () => {
  const refusal = /workflowId must be one that doesn't change when the parent is reset/;

  it('is refused before anything is scheduled, with what to do about it', async () => {
    const attempts = seen.length;
    const { said } = await runParent({ isGoverned: false, children: [{ type: 'paying' }] });
    const [first] = said;
    assert.ok(first);
    const [id, { outcome }] = first;
    assert.match(id, uuidShaped);
    assert.ok(outcome.kind === 'failed');
    assert.equal(outcome.report.class, 'invalid-request');
    assert.match(outcome.report.message, refusal);
    assert.equal(seen.length, attempts);
    const { events } = await rig.client.workflow.getHandle(id).fetchHistory();
    assert.ok(!events?.some((event) => event.activityTaskScheduledEventAttributes));
  });

  it('is refused in the grandchild too, whose name is made of it', async () => {
    const plan: ParentPlan = { children: [{ type: 'paying' }] };
    const { said } = await runParent({ isGoverned: false, children: [{ type: 'parent', plan }] });
    const inner = said[0]?.[1] as unknown as Said; // what a parent returns
    assert.match(inner[0]?.[0] ?? '', /\/paying\/1$/);
    assert.equal(inner[0]?.[1].outcome.kind, 'failed');
  });

  it('is no matter to reads', async () => {
    const { said } = await runParent({ isGoverned: false, children: [{ type: 'looking' }] });
    assert.equal(said[0]?.[1].outcome.kind, 'ok');
  });

  it('is not refused where an ungoverned parent named the child, a UUID too', async () => {
    const { said } = await runParent({
      isGoverned: false,
      children: [{ type: 'paying', named: { id: `${UUID.slice(0, -4)}0002` } }],
    });
    assert.equal(said[0]?.[1].outcome.kind, 'ok');
  });

  it('is judged by the same word after the child continued as new', async () => {
    const later = { type: 'payingLater' } as const;
    const named = { type: 'payingLater', named: { id: `${UUID.slice(0, -4)}0003` } } as const;
    const { said } = await runParent({ isGoverned: false, children: [later, named] });
    assert.deepEqual(
      said.map(([, { outcome }]) => outcome.kind),
      ['failed', 'ok'],
    );
  });
});

/** Returns the key of a run's one write, of the last run or the first of its id. */
async function keyOfWrite(workflowId: string, which: 'last' | 'first' = 'last'): Promise<string> {
  const runs: string[] = [];
  // once before the reset and once after it; visibility lags behind
  while (runs.length < 2) {
    runs.length = 0;
    const listed = rig.client.workflow.list({ query: `WorkflowId = "${workflowId}"` });
    for await (const { runId } of listed) runs.push(runId);
  }
  const runId = which === 'last' ? runs[0] : runs[1];
  const { events } = await rig.client.workflow.getHandle(workflowId, runId).fetchHistory();
  const [fields] = (events ?? []).flatMap(
    (event) => event.activityTaskScheduledEventAttributes?.header?.fields?.['holdfast-call'] ?? [],
  );
  const { key } = JSON.parse(Buffer.from(fields?.data ?? []).toString()); // the header's JSON
  assert.match(key, /^[\da-f]{64}$/);
  return key;
}
