import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { NativeConnection, Worker } from '@temporalio/worker';
import { holdfast } from 'holdfast';
import { type Ledger, openSqlite } from 'holdfast/ledger';
import type { DevServer } from '../../src/lab/temporal-server.js';
import { projectFile } from '../support/root.js';
import { startTestServer } from '../support/server.js';

describe('the retention of a ledger', () => {
  let server: DevServer;
  let connection: NativeConnection;
  before(async () => {
    server = await startTestServer();
    connection = await NativeConnection.connect({ address: server.address });
  });
  after(async () => {
    await connection.close();
    await server.stop();
  });

  function workerWith(ledger: Ledger): Promise<Worker> {
    return Worker.create({
      connection,
      taskQueue: 'retention',
      workflowsPath: projectFile('dist', 'test', 'effects', 'fixture', 'workflows.js'),
      plugins: [holdfast({ ledger })],
    });
  }

  it('must not be shorter than the namespace keeps its workflows, whose reset would repeat effects (R9)', async () => {
    const ledger = await openSqlite({ path: ':memory:', retentionMs: 60_000 });
    await assert.rejects(workerWith(ledger), {
      kind: 'invalid-request',
      field: 'ledger.retentionMs',
      value: 60_000,
      message: /must be at least the 86400000 ms that the namespace default keeps/,
    });
  });
});
