import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  Client,
  Connection,
  WithStartWorkflowOperation,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { holdfast, InvalidRequestError, UngovernedBundleError } from 'holdfast';
import { queries, type RunState, type TaskResult } from 'holdfast/contract';
import { createUpstream, type Upstream } from '../../src/lab/upstream/index.js';
import { linesOf } from '../contract/faults.js';
import { type Rig, startRig } from '../support/rig.js';
import { implementations } from './fixture/implementations.js';
import { tools } from './fixture/tools.js';

let rig: Rig;
let upstream: Upstream;
let url: string;
let plain: { readonly client: Client; readonly connection: Connection };

before(async () => {
  upstream = createUpstream();
  ({ url } = await upstream.start());
  rig = await startRig({ workflows: 'test/plugin/fixture/workflows.js', implementations });
  const connection = await Connection.connect({ address: rig.address });
  plain = { client: new Client({ connection }), connection };
});

after(async () => {
  await plain.connection.close();
  await rig.stop();
  await upstream.stop();
});

const wrongTask = {
  steps: [
    { id: 'a', tool: 'refund', input: {} },
    { id: 'a', tool: 'refund_order', input: { url: '', orderId: { $ref: 'z' }, amountCents: -1 } },
  ],
  retries: 3,
};
const wrongLines = [
  'task Unrecognized key: "retries"',
  'task.steps.0.tool must be one of the tools refund_order',
  'task.steps.1.id must differ from the ids of earlier steps',
  'task.steps.1.input.orderId.$ref must name a step of the task',
  'task.steps.1.input.amountCents Too small: expected number to be >0',
];

function rightTask(): object {
  const input = { url, orderId: 'ORD-1003', amountCents: 1 };
  return { steps: [{ id: 'a', tool: 'refund_order', input }], tenant: 'acme' };
}

async function refusedLines(start: Promise<unknown>): Promise<string[]> {
  const error: unknown = await start.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof InvalidRequestError, String(error));
  return linesOf(error.faults);
}

async function startHeaderOf(handle: WorkflowHandle): Promise<unknown> {
  const { events } = await handle.fetchHistory();
  const started = events?.[0]?.workflowExecutionStartedEventAttributes;
  const payload = started?.header?.fields?.['holdfast-start'];
  return payload ? defaultPayloadConverter.fromPayload(payload) : undefined;
}

describe('a client of holdfast', () => {
  it('refuses a wrong task with every fault, and no workflow comes into being', async () => {
    const workflowId = rig.id('refused');
    const { taskQueue } = rig;
    const options = { workflowId, taskQueue, args: [wrongTask] };
    assert.deepEqual(
      await refusedLines(rig.client.workflow.start('agentTask', options)),
      wrongLines,
    );
    await assert.rejects(
      rig.client.workflow.getHandle(workflowId).describe(),
      WorkflowNotFoundError,
    );
  });

  it('refuses it however it would be started', async () => {
    const workflowId = rig.id('refused');
    const options = { workflowId, taskQueue: rig.taskQueue, args: [wrongTask] };
    const { workflow } = rig.client;
    const signalled = workflow.signalWithStart('agentTask', { ...options, signal: 'poke' });
    assert.deepEqual(await refusedLines(signalled), wrongLines);
    const startWorkflowOperation = new WithStartWorkflowOperation('agentTask', {
      ...options,
      workflowIdConflictPolicy: 'FAIL',
    });
    startWorkflowOperation.workflowHandle().catch(() => {}); // the update itself is what is asked
    const updated = workflow.executeUpdateWithStart('ask', { startWorkflowOperation });
    assert.deepEqual(await refusedLines(updated), wrongLines);
    await assert.rejects(workflow.getHandle(workflowId).describe(), WorkflowNotFoundError);
  });

  it('starts a right one, which runs for the task’s tenant', async () => {
    upstream.reset();
    const handle = await rig.client.workflow.start('agentTask', {
      workflowId: rig.id('right'),
      taskQueue: rig.taskQueue,
      args: [rightTask()],
    });
    const result = (await handle.result()) as TaskResult; // the fixture's task
    assert.equal(result.kind, 'ok');
    assert.equal(upstream.stats().routes.refunds.effects, 1);
    assert.equal((await handle.query<RunState>(queries.state)).tenant, 'acme');
  });

  it('leaves other workflows’ arguments alone', async () => {
    const result = await rig.client.workflow.execute('plain', {
      workflowId: rig.id('plain'),
      taskQueue: rig.taskQueue,
      args: [{ steps: 'mine' }],
    });
    assert.equal(result, 'plain');
  });

  it('says on every way to start that the run is governed, and for whom', async () => {
    const { taskQueue } = rig;
    const plugin = holdfast({ tools, tenant: 'acme' });
    const { workflow } = new Client({ connection: plain.connection, plugins: [plugin] });
    const started = await workflow.start('waiting', { workflowId: rig.id('w'), taskQueue });
    await started.signal('poke');
    const signalled = await workflow.signalWithStart('waiting', {
      workflowId: rig.id('w'),
      taskQueue,
      signal: 'poke',
    });
    const startWorkflowOperation = new WithStartWorkflowOperation('waiting', {
      workflowId: rig.id('w'),
      taskQueue,
      workflowIdConflictPolicy: 'FAIL',
    });
    await workflow.executeUpdateWithStart('ask', { startWorkflowOperation });
    const updated = await startWorkflowOperation.workflowHandle();
    for (const handle of [started, signalled, updated]) {
      await handle.result();
      assert.deepEqual(await startHeaderOf(handle), { v: 1, tenant: 'acme' });
    }
  });

  it('does its work once where connection and client both have the plugin', async () => {
    const connection = await Connection.connect({ address: rig.address, plugins: [rig.plugin] });
    try {
      const client = new Client({ connection, plugins: [rig.plugin] });
      const handle = await client.workflow.start('agentTask', {
        workflowId: rig.id('twice'),
        taskQueue: rig.taskQueue,
        args: [rightTask()],
      });
      await handle.result();
      assert.deepEqual(await startHeaderOf(handle), { v: 1 });
    } finally {
      await connection.close();
    }
  });
});

describe('a client without holdfast', () => {
  it('starts a wrong task, which fails in its first workflow task with every fault', async () => {
    const handle = await plain.client.workflow.start('agentTask', {
      workflowId: rig.id('plain-client'),
      taskQueue: rig.taskQueue,
      args: [wrongTask],
    });
    await assert.rejects(handle.result(), (error: unknown) => {
      assert.ok(error instanceof WorkflowFailedError);
      assert.ok(error.cause instanceof ApplicationFailure);
      assert.equal(error.cause.type, 'invalid-request');
      for (const line of wrongLines) assert.ok(error.cause.message.includes(line), line);
      return true;
    });
    const { events = [] } = await handle.fetchHistory();
    assert.ok(!events?.some((event) => event.activityTaskScheduledEventAttributes));
    assert.ok(!events?.some((event) => event.workflowTaskFailedEventAttributes));
  });
});

describe('a worker of holdfast', () => {
  it('does not start on a bundle that was built without the plugin', async () => {
    const connection = await NativeConnection.connect({ address: rig.address });
    try {
      const { taskQueue } = rig;
      const workflowBundle = { code: 'module.exports = {}' };
      await assert.rejects(
        Worker.create({ connection, taskQueue, workflowBundle, plugins: [rig.plugin] }),
        UngovernedBundleError,
      );
    } finally {
      await connection.close();
    }
  });
});

describe('the requests that a task makes', () => {
  const counts = [
    { status: 503, requests: 3 },
    { status: 400, requests: 1 },
  ];
  for (const { status, requests } of counts) {
    it(`are one an attempt, and ${requests} where all are answered ${status}`, async () => {
      upstream.reset();
      upstream.setFaults({ refunds: { faults: [{ kind: 'status', status }] } });
      const handle = await rig.client.workflow.start('agentTask', {
        workflowId: rig.id('counted'),
        taskQueue: rig.taskQueue,
        args: [rightTask()],
      });
      await assert.rejects(handle.result(), WorkflowFailedError);
      upstream.setFaults({});
      const { totals, calls } = upstream.stats();
      assert.equal(totals.requests, requests);
      assert.equal((await handle.query<RunState>(queries.state)).attempts, requests);
      // One call with one key, whose requests count up.
      assert.equal(calls.length, 1);
      assert.equal(calls[0]?.keys.length, 1);
      const attempts = calls[0]?.budgets.map(({ attempt }) => Number(attempt));
      assert.deepEqual(
        attempts,
        Array.from({ length: requests }, (_, index) => index + 1),
      );
    });
  }
});
