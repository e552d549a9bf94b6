import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { createUpstream } from '../../src/lab/upstream/index.js';
import { projectFile } from '../support/root.js';
import { withUpstream } from './upstream-fixture.js';

const program = projectFile('dist', 'src', 'lab', 'upstream', 'main.js');

describe('starting the lab upstream', () => {
  it('names every faulty option with its rule and value', () => {
    const options = {
      port: -1,
      seed: 0.5,
      faults: { refunds: { faults: [{ kind: 'status' as const, status: 200, rate: 2 }] } },
    };
    assert.throws(
      () => createUpstream(options),
      (error: unknown) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, /port must be at least 0, got -1/u);
        assert.match(error.message, /seed must be of type int, got 0\.5/u);
        assert.match(
          error.message,
          /faults\.refunds\.faults\[0\]\.status must be at least 400, got 200/u,
        );
        assert.match(error.message, /faults\.refunds\.faults\[0\]\.rate must be at most 1, got 2/u);
        return true;
      },
    );
  });

  it('refuses rates that add up to more than all requests', () => {
    const faults = [
      { kind: 'drop', rate: 0.7 },
      { kind: 'reset', rate: 0.7 },
    ] as const;
    assert.throws(() => createUpstream({ faults: { chat: { faults: [...faults] } } }), {
      kind: 'invalid-request',
      field: 'faults.chat.faults',
    });
  });

  it('refuses to listen on any address but 127.0.0.1', () => {
    // A caller without types may try it.
    const options = { host: '0.0.0.0' } as unknown as { host: '127.0.0.1' };
    assert.throws(() => createUpstream(options), /host must be "127\.0\.0\.1", got "0\.0\.0\.0"/u);
  });

  it('says that a port is in use and what to do', async () => {
    await withUpstream({}, async ({ url }) => {
      const port = Number(new URL(url).port);
      await assert.rejects(createUpstream({ port }).start(), {
        kind: 'upstream-start',
        code: 'EADDRINUSE',
        message: /the port is in use\. Stop what listens there, or take another port/u,
      });
    });
  });

  it('stops twice without a fault, starts again, and refuses a second start', async () => {
    const upstream = createUpstream();
    await upstream.start();
    await assert.rejects(upstream.start(), { kind: 'invalid-request' });
    await upstream.stop();
    await upstream.stop();
    await upstream.start();
    await upstream.stop();
  });

  it('runs as a program of its own until it is told to stop', async () => {
    const child = spawn(process.execPath, [program, '--port', '0', '--seed', '9']);
    const url = await announcedUrl(child);
    const stats: unknown = await (await fetch(`${url}/stats`)).json();
    assert.equal(typeof stats === 'object' && stats !== null && 'seed' in stats && stats.seed, 9);
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  it('ends when the process that holds its channel is gone', async () => {
    const child = spawn(process.execPath, [program, '--port', '0'], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    await announcedUrl(child);
    child.disconnect();
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  const wrong = [
    { args: ['--port', 'x'], says: /--port must be a whole number, got "x"/u, code: 2 },
    { args: ['--faults', '{'], says: /--faults must be JSON/u, code: 2 },
    { args: ['--faults', '{"shop":{}}'], says: /unknown field shop/u, code: 2 },
    { args: ['--loud'], says: /--loud.*--help/su, code: 2 },
    { args: ['--help'], says: /^Runs the lab's faulty service/u, code: 0 },
  ];
  for (const { args, says, code } of wrong) {
    it(`ends with ${code} and says why for ${args.join(' ')}`, async () => {
      const ended = await runProgram(args);
      assert.match(ended.text, says);
      assert.equal(ended.code, code);
    });
  }

  it('ends with 1 where its port is in use', async () => {
    await withUpstream({}, async ({ url }) => {
      const ended = await runProgram(['--port', new URL(url).port]);
      assert.match(ended.text, /the port is in use/u);
      assert.equal(ended.code, 1);
    });
  });
});

async function runProgram(
  args: readonly string[],
): Promise<{ readonly text: string; readonly code: unknown }> {
  const child = spawn(process.execPath, [program, ...args]);
  const chunks: string[] = [];
  child.stdout.on('data', (chunk) => chunks.push(String(chunk)));
  child.stderr.on('data', (chunk) => chunks.push(String(chunk)));
  const [code] = await once(child, 'close');
  return { text: chunks.join(''), code };
}

async function announcedUrl(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout);
  const [line] = await once(child.stdout, 'data');
  const url = /http:\S+/u.exec(String(line))?.[0];
  assert.ok(url);
  return url;
}
