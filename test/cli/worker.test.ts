import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { freePort } from '../../src/lab/free-port.js';
import { cleanEnv, runHoldfast } from '../support/holdfast-command.js';
import { projectFile } from '../support/root.js';
import { startTestServer } from '../support/server.js';
import { until } from '../support/until.js';

const taskWorker = projectFile('dist/test/cli/fixture/task-worker.js');

type Worker = ChildProcessByStdio<null, Readable, Readable>;

function startWorker(...args: readonly string[]): Worker {
  const child = spawn(
    process.execPath,
    [projectFile('dist/src/cli/main.js'), 'worker', taskWorker, '--log-level', 'ERROR', ...args],
    { env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  child.stderr.pipe(process.stderr);
  return child;
}

describe('holdfast worker', () => {
  const faulty = projectFile('dist/test/cli/fixture/faulty-worker.js');
  const none = projectFile('dist/test/support/until.js');
  const wrong = [
    { args: ['no-such.js'], says: /The module no-such\.js can't be loaded/ },
    { args: [none], says: /has no export named worker: it exports until/ },
    { args: [faulty], says: /worker\.workflowsPath must be/ },
    {
      args: [taskWorker, '--metrics', 'localhost:9464'],
      says: /prometheus must be an IP address and a port/,
    },
    {
      args: [taskWorker],
      env: { HOLDFAST_FLEET: 'fleet.db' },
      says: /must be 'memory' or postgres:/,
    },
  ];
  for (const { args, env = {}, says } of wrong) {
    const words = [...Object.keys(env), ...args.map((arg) => arg.split('/').at(-1))];
    it(`refuses ${words.join(' ')}`, async () => {
      const { code, stderr } = await runHoldfast(['worker', ...args], { env });
      assert.equal(code, 2, stderr);
      assert.match(stderr, says);
    });
  }

  it('says that no server answers', async () => {
    const { code, stderr } = await runHoldfast(['worker', taskWorker, '--address', '127.0.0.1:1']);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /127\.0\.0\.1:1 can't be used: nobody listens there/);
  });
});

describe('a worker with stores and metrics', () => {
  let server: Awaited<ReturnType<typeof startTestServer>>;
  let client: Client;
  let folder: string;
  let worker: Worker;
  let metrics: string;
  const stores = ['effects.db', 'talks.db'];

  before(async () => {
    server = await startTestServer();
    client = new Client({ connection: await Connection.connect({ address: server.address }) });
    folder = await mkdtemp(join(tmpdir(), 'holdfast-worker-'));
    metrics = `127.0.0.1:${await freePort()}`;
    const [ledger = '', talks = ''] = stores.map((name) => join(folder, name));
    const named = ['--ledger', ledger, '--conversations', talks, '--fleet', 'memory'];
    worker = startWorker('--address', server.address, '--metrics', metrics, ...named);
    await once(worker.stdout, 'data'); // it is ready
  });
  after(async () => {
    worker?.kill('SIGKILL');
    await client?.connection.close();
    await server?.stop();
    await rm(folder, { recursive: true });
  });

  function start(workflowId: string, takesMs: number): Promise<WorkflowHandle> {
    const task = { steps: [{ id: 'sum', tool: 'summarise', input: { takesMs } }] };
    return client.workflow.start('agentTask', { taskQueue: 'tasks', workflowId, args: [task] });
  }

  it('keeps its stores where it is told to', () => {
    assert.deepEqual(stores.map((name) => join(folder, name)).map(existsSync), [true, true]);
  });

  it('exports the metrics of holdfast and of Temporal where Prometheus looks for them', async () => {
    await (await start('short', 0)).result();
    const exported = await (await fetch(`http://${metrics}/metrics`)).text();
    assert.match(exported, /^holdfast_runs_total\{.*end="completed".*\} 1$/m);
    assert.match(exported, /^temporal_/m);
  });

  it('leaves that address to nobody else', async () => {
    const { code, stderr } = await runHoldfast(['worker', taskWorker, '--metrics', metrics]);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /The metrics can't be exported to "127\.0\.0\.1:\d+"/);
  });

  it('ends at once at a second signal, whatever still runs', async () => {
    const task = await start('long', 60_000);
    await until(async () => Number((await task.describe()).raw.pendingActivities?.length) > 0);
    const stopping = once(worker.stderr, 'data');
    worker.kill('SIGTERM');
    assert.match(String(await stopping), /^Stopping/);
    const closed = once(worker, 'close');
    worker.kill('SIGTERM');
    assert.deepEqual(await closed, [143, null]);
  });
});
