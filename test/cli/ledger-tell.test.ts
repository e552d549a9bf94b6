import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
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
import { type DevServer, findTemporalCli } from '../../src/lab/temporal-server.js';
import { cleanEnv, type HoldfastEnd, runHoldfast } from '../support/holdfast-command.js';
import { projectFile } from '../support/root.js';
import { startTestServer } from '../support/server.js';
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
      `The ledger has been written: refund_order of ${workflowId} has happened.\n` +
        `The workflow ${workflowId} was waiting, and has been told.\n`,
    );
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
  });

  it('says why a workflow that runs was not waiting, and has done its work', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId);
    const handle = await start(workflowId, 'another key');
    const ended = await settle(key, '--not-done');
    assert.equal(ended.code, 0, ended.stderr);
    const told = `The workflow ${workflowId} was not waiting for it: ${key} is not waited for\n`;
    assert.ok(ended.stdout.endsWith(told), ended.stdout);
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

  it('says that a workflow waits on where it refuses who settles', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId);
    const handle = await start(workflowId, key);
    const ended = await settle(key, '--not-done', '--by', 'mallory');
    assert.equal(ended.code, 4);
    assert.match(
      ended.stderr,
      /may not have been told: it waits, and refused: mallory may not decide\. To tell it, with somebody as "by" who may:/,
    );
    await handle.terminate();
  });

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

  it('asks in the namespace that the ledger has noted, unless --namespace says another', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId, 'other');
    const handle = await start(workflowId, key);
    const ended = await settle(key, '--not-done');
    assert.match(ended.stdout, /was not waiting for it: it has ended, or never ran/);
    const again = await settleEffect(opened.ledger, workflowId, unknownEnd, {
      workflowId,
      namespace: 'other',
    });
    assert.equal(again, key);
    const told = await settle(key, '--not-done', '--namespace', 'default');
    assert.match(told.stdout, /was waiting, and has been told/);
    await handle.result();
  });

  it('says what it wrote and how to tell the workflow where no worker answers', async () => {
    const workflowId = randomUUID();
    const key = await unknownOf(workflowId);
    const handle = await start(workflowId, key, 'a queue without workers');
    const ended = await settle(key, '--not-done', '--tell-within', '1', '--json');
    assert.equal(ended.code, 4);
    assert.equal(ended.stdout, '');
    const { error } = JSON.parse(ended.stderr) as { readonly error: Record<string, string> };
    assert.equal(error.kind, 'not-told');
    assert.equal(error.key, key);
    assert.equal(error.reason, 'no worker answered within 1 s');
    assert.equal((await opened.ledger.find(key))?.state, 'released');
    await handle.terminate();
  });

  it('says what it wrote where the server is down, and names a command that tells it later', async () => {
    const workflowId = `it's ${randomUUID()}`;
    const key = await unknownOf(workflowId);
    const handle = await start(workflowId, key);
    const nowhere = `127.0.0.1:${await freePort()}`;
    const note = `said "it's $HOME"`;
    const within = ['--address', nowhere, '--tell-within', '1'];
    const ended = await settle(key, '--done', '--result', '[1]', '--note', note, ...within);
    assert.equal(ended.code, 4);
    assert.equal(
      ended.stdout,
      `The ledger has been written: refund_order of ${workflowId} has happened.\n`,
    );
    assert.match(
      ended.stderr,
      /^error: The ledger has been written, and the workflow it's .* may not/,
    );
    assert.equal((await opened.ledger.find(key))?.state, 'done');

    const command = ended.stderr.split('\n')[1]?.trim().replace(nowhere, server.address) ?? '';
    const cli = await findTemporalCli({ log: (line) => console.error(line) });
    const PATH = `${dirname(cli)}:${process.env.PATH}`;
    await promisify(execFile)('sh', ['-c', command], { env: cleanEnv({ PATH }) });
    assert.deepEqual(await handle.result(), { key, done: true, result: [1], by: 'ada', note });
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
    assert.equal(ended.code, 4);
    assert.match(ended.stderr, /Namespace not found: 'nowhere'/);
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
