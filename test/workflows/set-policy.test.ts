import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import { MAX_POLICY_BYTES, type PolicyInput } from 'holdfast/contract';
import { detailsOf } from '../support/details.js';
import { refusalOf, updateEventsOf } from '../support/people-rig.js';
import {
  goOn,
  governedOf,
  type PolicyRig,
  setPolicy,
  startPolicyRig,
  stateOf,
} from '../support/policy-rig.js';
import { until } from '../support/until.js';
import type { StepsDone } from './fixture/policy-workflows.js';

let rig: PolicyRig;
before(async () => {
  rig = await startPolicyRig();
});
after(() => rig.stop());

const by = 'Ada';
const backoff = { baseMs: 20, capMs: 60 };
const resultOf = (handle: WorkflowHandle): Promise<StepsDone> => handle.result();

describe('a policy that is put in force in mid-run', () => {
  it('holds for the calls that come after, and what was spent stays spent', async () => {
    const handle = await rig.start({ calls: [{ failures: 2 }, { failures: 1 }] });
    await goOn(handle, 1);
    const receipt = await setPolicy(handle, {
      policy: { version: '7', globalRetryBudget: 1, backoff },
      by,
    });
    assert.deepEqual(receipt, { version: '7', mode: 'on' });
    assert.deepEqual((await stateOf(handle)).pool, { total: 1, spent: 2, reserved: 0 });
    await goOn(handle, 2);
    const { outcomes, report } = await resultOf(handle);
    const [, second] = outcomes;
    assert.ok(second?.kind === 'exhausted');
    assert.equal(second.report.reason, 'retry-budget');
    assert.equal(report.policyVersion, '7');
    assert.deepEqual(report.pool, { total: 1, spent: 2, reserved: 0 });
  });

  it('gives new retries where its budget is larger', async () => {
    const handle = await rig.start({
      policy: { globalRetryBudget: 0 },
      calls: [{ failures: 1 }, { failures: 1 }],
    });
    await goOn(handle, 1);
    await setPolicy(handle, { policy: { globalRetryBudget: 2, backoff }, by });
    await goOn(handle, 2);
    const { outcomes } = await resultOf(handle);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['exhausted', 'ok'],
    );
  });

  it('is shown by the state, with who put it there', async () => {
    const handle = await rig.start({ calls: [{ failures: 0 }] });
    const policy = { version: '8', globalRetryBudget: 4 };
    await setPolicy(handle, { policy, by, note: 'a storm' });
    const shown = (await stateOf(handle)).policy;
    assert.ok(shown?.kind === 'update');
    assert.ok(shown.at > 0);
    assert.deepEqual({ ...shown, at: 0 }, { kind: 'update', by, note: 'a storm', at: 0, policy });
    assert.match(await detailsOf(handle), /version 8, mode on, put in force by Ada at \d/);
    await handle.terminate();
  });

  it('moves the deadline by as much as the policy’s differs', async () => {
    const handle = await rig.start({ calls: [{ failures: 0 }, { failures: 0 }] });
    await goOn(handle, 1);
    const before = (await stateOf(handle)).deadlineAt;
    await setPolicy(handle, { policy: { deadlineMs: 90_000 }, by });
    assert.equal((await stateOf(handle)).deadlineAt, Number(before) + 30_000);
    await handle.terminate();
  });

  it('holds on when the run continues as new', async () => {
    const last = { calls: [{ failures: 1 }] };
    const handle = await rig.start({ calls: [{ failures: 0 }], next: last });
    await setPolicy(handle, { policy: { version: '9', globalRetryBudget: 1, backoff }, by });
    await handle.signal('go');
    const next = rig.client.workflow.getHandle(handle.workflowId);
    await until(async () => (await stateOf(next)).run === 2);
    await goOn(next, 1);
    const { report } = await resultOf(next);
    assert.equal(report.policyVersion, '9');
    assert.deepEqual(report.pool, { total: 1, spent: 1, reserved: 0 });
    assert.equal((await stateOf(next)).policy?.kind, 'update');
  });
});

describe('the mode off, put in force in mid-run', () => {
  it('lets calls through from then on, until the gate is put on again', async () => {
    const calls = [{ failures: 0 }, { failures: 0 }, { failures: 0 }];
    const handle = await rig.start({ calls });
    await goOn(handle, 1);
    assert.equal((await setPolicy(handle, { policy: { mode: 'off' }, by })).mode, 'off');
    await goOn(handle, 2);
    await setPolicy(handle, { policy: {}, by });
    await goOn(handle, 3);
    const { outcomes, report } = await resultOf(handle);
    assert.deepEqual(await governedOf(handle), [true, false, true]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['ok', 'ok', 'ok'],
    );
    assert.equal(report.calls, 2);
  });

  it('does the same to plain activity calls', async () => {
    const { client, taskQueue } = rig;
    const options = { taskQueue, workflowId: rig.id('plain'), args: [3] };
    const handle = await client.workflow.start('plainSteps', options);
    await goOn(handle, 1);
    await setPolicy(handle, { policy: { mode: 'off' }, by });
    await goOn(handle, 2);
    await setPolicy(handle, { policy: { globalRetryBudget: 1 }, by });
    await goOn(handle, 3);
    await handle.result();
    assert.deepEqual(await governedOf(handle), [true, false, true]);
  });

  it('leaves a call in flight to end as it began: governed, counted, retried', async () => {
    const handle = await rig.start({ calls: [{ failures: 1, slowMs: 400 }] });
    await handle.signal('go');
    await until(async () => (await governedOf(handle)).length === 1);
    await setPolicy(handle, { policy: { mode: 'off' }, by });
    const { outcomes, report } = await resultOf(handle);
    assert.equal(outcomes[0]?.kind, 'ok');
    assert.equal(outcomes[0]?.report.retries, 1);
    assert.deepEqual([report.counts.ok, report.attempts, report.pool.spent], [1, 2, 1]);
    assert.equal(report.mode, 'off');
  });
});

describe('a change of policy is refused, and nothing of it is kept,', () => {
  const refused: readonly (readonly [string, unknown, string, RegExp])[] = [
    [
      'with a fault in the policy',
      { policy: { maxAttempts: 0 }, by },
      'invalid-request',
      /change\.policy\.maxAttempts must be a positive integer, got 0/,
    ],
    [
      'with a field that no policy has',
      { policy: { retries: 3 }, by },
      'invalid-request',
      /change\.policy\.retries must be one of/,
    ],
    ['without a name', { policy: {} }, 'invalid-request', /change\.by/],
    ['without a policy', { by }, 'invalid-request', /change\.policy must be an object/],
    [
      'where it is too large to be carried',
      { policy: { version: 'x'.repeat(MAX_POLICY_BYTES) }, by },
      'invalid-request',
      /change\.policy must be at most 16384 bytes as JSON/,
    ],
    [
      'by somebody whom the policy in force doesn’t name',
      { policy: { deciders: 'anyone' }, by: 'Eve' },
      'not-a-decider',
      /may be changed by Ada, not by "Eve"/,
    ],
  ];
  let handle: WorkflowHandle;
  const policy: PolicyInput = { deciders: [by] };
  before(async () => {
    handle = await rig.start({ calls: [{ failures: 0 }], policy });
  });
  after(() => handle.terminate());

  for (const [how, change, type, message] of refused) {
    it(how, async () => {
      const refusal = await refusalOf(setPolicy(handle, change));
      assert.equal(refusal.type, type);
      assert.match(refusal.message, message);
      assert.equal(await updateEventsOf(handle), 0);
    });
  }
});
