import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { Client, Connection } from '@temporalio/client';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';
import type { Settlement } from '../../src/contract/messages.js';
import { freePort } from '../../src/lab/free-port.js';
import type { DevServer } from '../../src/lab/temporal-server.js';
import { type HoldfastEnd, runHoldfast } from '../support/holdfast-command.js';
import { projectFile } from '../support/root.js';
import { startTestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { settleEffect, unknownEnd } from './fixture/effects.js';
import type { waitForSettlement } from './fixture/settled-workflow.js';
import { type OpenLedger, sqliteStore } from './fixture/stores.js';

const store = sqliteStore();
const taskQueue = 'settled';
let server: DevServer;
let connection: Connection;
let native: NativeConnection;
let client: Client;
let stopWorker: () => Promise<void>;

before(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  await store.start();
  server = await startTestServer({ namespaces: ['other'] });
  connection = await Connection.connect({ address: server.address });
  native = await NativeConnection.connect({ address: server.address });
  client = new Client({ connection });
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: projectFile('dist/test/cli/fixture/settled-workflow.js'),
      logger: new DefaultLogger('ERROR'),
    }),
  });
  const ended = worker.run();
  stopWorker = async () => {
    worker.shutdown();
    await ended;
  };
});
after(async () => {
  await stopWorker();
  await native.close();
  await connection.close();
  await server.stop();
  await store.stop();
});

describe('holdfast ledger settle and the workflow', () => {
  let opened: OpenLedger;
  beforeEach(async () => {
    opened = await store.open();
  });
  afterEach(() => opened.ledger.close());

  /** An unknown effect of a workflow of its own, as `settle` names it. */
  const unknownOf = (workflowId: string, namespace = 'default'): Promise<string> =>
    settleEffect(opened.ledger, workflowId, unknownEnd, { workflowId, namespace });

  const settle = (key: string, ...args: string[]): Promise<HoldfastEnd> =>
    runHoldfast(['ledger', 'settle', key, '--by', 'ada', ...args], {
      env: { HOLDFAST_LEDGER: opened.address, TEMPORAL_ADDRESS: server.address },
    });
  const start = (workflowId: string, key: string, queue = taskQueue) =>
    client.workflow.start<typeof waitForSettlement>('waitForSettlement', {
      taskQueue: queue,
      workflowId,
      args: [key],
    });

  it('tells a workflow that waits that it has happened, with its result', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId);
    const handle = await start(workflowId, key);
    const ended = await settle(key, '--done', '--result', '{"refundId":"r-9"}', '--note', 'seen');
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(
      ended.stdout,
      `The workflow ${workflowId} was waiting, and has been told.\n` +
        `The ledger has been written: refund_order of ${workflowId} has happened.\n`,
    );
    assert.equal((await opened.ledger.find(key))?.state, 'done');
    const result = { refundId: 'r-9' };
    const said = { key, done: true, result, by: 'ada', note: 'seen' } satisfies Settlement;
    assert.deepEqual(await handle.result(), said);
  });

  it('tells a workflow that waits that it has not happened, as JSON', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId);
    const handle = await start(workflowId, key);
    const ended = await settle(key, '--not-done', '--json');
    assert.equal(ended.code, 0, ended.stderr);
    const workflow = { workflowId, namespace: 'default', kind: 'told' };
    assert.deepEqual(JSON.parse(ended.stdout), { key, done: false, by: 'ada', workflow });
    assert.deepEqual(await handle.result(), { key, done: false, by: 'ada' });
    assert.equal((await opened.ledger.find(key))?.state, 'released');
  });

  it('says why a workflow that runs was not waiting, and has done its work', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId);
    const handle = await start(workflowId, 'another key');
    const ended = await settle(key, '--not-done');
    assert.equal(ended.code, 0, ended.stderr);
    const told = `The workflow ${workflowId} was not waiting for it: ${key} is not waited for\n`;
    assert.ok(ended.stdout.startsWith(told), ended.stdout);
    assert.equal((await opened.ledger.find(key))?.state, 'released');
    await handle.terminate();
  });

  it('takes a workflow without such an update for one that was not waiting', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId);
    const handle = await client.workflow.start('waitForNobody', { taskQueue, workflowId });
    const ended = await settle(key, '--not-done');
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /was not waiting for it: .*holdfast\.settle/);
    await handle.terminate();
  });

  const refusals = [
    { what: 'a person who may not settle', by: 'mallory', reason: 'mallory may not decide' },
    { what: 'a result that the tool can’t answer', by: 'careless', reason: 'no such result' },
    { what: 'what its own check throws on', by: 'strange', reason: 'strange broke the check' },
  ];
  for (const { what, by, reason } of refusals) {
    it(`writes nothing where a workflow that waits refuses ${what}`, async () => {
      const workflowId = randomUUID();
      const key = await unknownOf(workflowId);
      const handle = await start(workflowId, key);
      const ended = await settle(key, '--done', '--result', '1', '--by', by);
      assert.deepEqual([ended.code, ended.stdout], [1, '']);
      assert.equal(
        ended.stderr,
        `error: Nothing was written: the workflow ${workflowId} waits, and refused: ${reason}\n`,
      );
      assert.equal((await opened.ledger.find(key))?.state, 'unknown');
      await handle.terminate();
    });
  }

  it('says that a workflow has ended, and has done its work', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId);
    await (await start(workflowId, 'another key')).terminate();
    const ended = await settle(key, '--not-done', '--json');
    assert.equal(ended.code, 0, ended.stderr);
    const { workflow } = JSON.parse(ended.stdout) as { readonly workflow: object };
    const reason = 'it has ended, or never ran in this namespace';
    assert.deepEqual(workflow, { workflowId, namespace: 'default', kind: 'not-waiting', reason });
  });

  it('asks in the namespace that the ledger has noted', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId, 'other');
    const handle = await start(workflowId, key);
    const ended = await settle(key, '--not-done');
    assert.match(ended.stdout, /was not waiting for it: it has ended, or never ran/);
    await handle.terminate();
  });

  it('asks in another namespace where --namespace says so', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId, 'other');
    const handle = await start(workflowId, key);
    const ended = await settle(key, '--not-done', '--namespace', 'default');
    assert.match(ended.stdout, /was waiting, and has been told/);
    await handle.result();
  });

  it('writes nothing where no worker answers', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId);
    const handle = await start(workflowId, key, 'a queue without workers');
    const ended = await settle(key, '--not-done', '--tell-within', '1', '--json');
    assert.deepEqual([ended.code, ended.stdout], [3, '']);
    const { error } = JSON.parse(ended.stderr) as { readonly error: Record<string, string> };
    const reason = 'no worker answered within 1 s, and one may still hear it';
    assert.deepEqual([error.kind, error.key, error.reason], ['workflow-unreachable', key, reason]);
    assert.equal((await opened.ledger.find(key))?.state, 'unknown');
    await handle.terminate();
  });

  it('writes nothing where the server is down, and says how to write without asking', async () => {
    const key = await unknownOf('ticket-1');
    const nowhere = `127.0.0.1:${await freePort()}`;
    const ended = await settle(key, '--not-done', '--address', nowhere, '--tell-within', '1');
    assert.deepEqual([ended.code, ended.stdout], [3, '']);
    assert.match(
      ended.stderr,
      /^error: Nothing was written: the workflow ticket-1 could not be asked: .*\n.*--no-tell\.\n$/,
    );
    assert.equal((await opened.ledger.find(key))?.state, 'unknown');
  });

  it('says that the workflow has been told where the ledger can’t be written any more', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId);
    const handle = await client.workflow.start('confirmLater', { taskQueue, workflowId });
    const settling = settle(key, '--done', '--result', '1', '--tell-within', '60');
    await until(() => handle.query<boolean>('heard'));
    const end = { kind: 'not-done' } as const;
    await opened.ledger.resolve(key, { end, by: 'dana', note: '' });
    await handle.signal('confirm');
    const ended = await settling;
    assert.deepEqual([ended.code, ended.stdout], [4, '']);
    assert.match(
      ended.stderr,
      /^error: The workflow .* has been told, and the ledger was not written: .* is released/,
    );
    await handle.terminate();
  });

  it('asks no server with --no-tell', async () => {
    const key = await unknownOf('ticket-1');
    const ended = await settle(
      key,
      '--not-done',
      '--no-tell',
      '--address',
      '127.0.0.1:1',
      '--json',
    );
    assert.equal(ended.code, 0, ended.stderr);
    const workflow = { workflowId: 'ticket-1', namespace: 'default', kind: 'not-asked' };
    assert.deepEqual(JSON.parse(ended.stdout), { key, done: false, by: 'ada', workflow });
  });

  it('calls a namespace that is not there unreachable', async () => {
    const key = await unknownOf('ticket-1', 'nowhere');
    const ended = await settle(key, '--not-done');
    assert.equal(ended.code, 3);
    assert.match(ended.stderr, /Namespace not found: 'nowhere'/);
    assert.equal((await opened.ledger.find(key))?.state, 'unknown');
  });

  it('refuses a configuration that cannot be read before it writes anything', async () => {
    const key = await unknownOf('ticket-1');
    const ended = await runHoldfast(['ledger', 'settle', key, '--not-done'], {
      env: { HOLDFAST_LEDGER: opened.address, TEMPORAL_PROFILE: 'nobody' },
    });
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /^error: Temporal's configuration can't be used: .*nobody/);
    assert.equal((await opened.ledger.find(key))?.state, 'unknown');
  });
});
