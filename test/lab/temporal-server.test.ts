import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { freePort } from '../../src/lab/free-port.js';
import { type DevServer, findTemporalCli, startDevServer } from '../../src/lab/temporal-server.js';
import { projectFile } from '../support/root.js';

const quiet = (): void => {};

describe('a development server', () => {
  let cli = '';
  let server: DevServer;
  before(async () => {
    cli = await findTemporalCli({ log: quiet });
    server = await startDevServer({
      cli,
      log: quiet,
      namespaces: ['second'],
      searchAttributes: { Tenant: 'Keyword' },
    });
  });
  after(() => server.stop());

  it('serves its namespaces when it is returned', async () => {
    const connection = await Connection.connect({ address: server.address });
    try {
      for (const namespace of ['default', 'second']) {
        await connection.workflowService.describeNamespace({ namespace });
      }
    } finally {
      await connection.close();
    }
  });

  it('serves its UI when it is returned', async () => {
    const answer = await fetch(server.uiUrl);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /<html/);
  });

  it('is refused on a port that another process holds', async () => {
    const port = Number(server.address.split(':')[1]);
    await assert.rejects(startDevServer({ cli, log: quiet, port }), {
      kind: 'port-in-use',
      port,
      message: new RegExp(`Port ${port} for the Temporal server is in use; free it`),
    });
  });

  it('is refused on a UI port that another process holds', async () => {
    const uiPort = Number(new URL(server.uiUrl).port);
    await assert.rejects(startDevServer({ cli, log: quiet, uiPort }), {
      kind: 'port-in-use',
      port: uiPort,
    });
  });

  it('takes other ports when the usual ones are taken', async () => {
    const holders = await Promise.all([hold(7233), hold(8233)]);
    const second = await startDevServer({ cli, log: quiet, preferDefaultPorts: true });
    try {
      assert.notEqual(second.address, '127.0.0.1:7233');
      assert.notEqual(second.uiUrl, 'http://127.0.0.1:8233');
    } finally {
      await second.stop();
      for (const release of holders) await release();
    }
  });

  it('is gone when stop returns, and stop can be called again', async () => {
    const other = await startDevServer({ cli, log: quiet });
    await other.stop();
    await other.stop();
    assert.equal(isAlive(other.pid), false);
  });

  it('is not started for a signal that is aborted already', async () => {
    const signal = AbortSignal.abort();
    await assert.rejects(startDevServer({ cli, log: quiet, signal }), { name: 'AbortError' });
  });
});

describe('a server that does not come up', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-server-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const script = async (name: string, body: string, mode: number): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, body);
    await chmod(path, mode);
    return path;
  };

  it('is an error that says so when its program is not executable', async () => {
    const cli = await script('plain', 'nothing to run', 0o644);
    await assert.rejects(startDevServer({ cli, log: quiet }), {
      kind: 'server-start',
      message: /did not start: spawn .*plain EACCES.*TEMPORAL_CLI_PATH/,
    });
  });

  it('is an error that says so when its program is missing', async () => {
    const cli = join(folder, 'nowhere');
    await assert.rejects(startDevServer({ cli, log: quiet }), {
      kind: 'server-start',
      message: /ENOENT/,
    });
  });

  it('is an error with the last output when its program ends', async () => {
    const cli = await script('ends', '#!/bin/sh\necho "no such flag" >&2\nexit 7\n', 0o755);
    await assert.rejects(startDevServer({ cli, log: quiet }), {
      kind: 'server-start',
      message: /exit code 7.*It said: no such flag/,
    });
  });

  it('is an error, and its program is ended, when it stays silent', async () => {
    const note = join(folder, 'pid');
    const cli = await script('silent', `#!/bin/sh\necho $$ > ${note}\nexec sleep 600\n`, 0o755);
    await assert.rejects(startDevServer({ cli, log: quiet, readyWithinMs: 300 }), {
      kind: 'server-start',
      message: /did not answer within 0.3 s/,
    });
    assert.equal(isAlive(Number(await readFile(note, 'utf8'))), false);
  });

  const races = [
    { lost: 'port', purpose: 'the Temporal server' },
    { lost: 'uiPort', purpose: 'the Temporal UI' },
  ] as const;
  for (const { lost, purpose } of races) {
    it(`is an error that names the port of ${purpose} when another process wins it`, async () => {
      const ports = { port: await freePort(), uiPort: await freePort() };
      const line = `listen tcp 127.0.0.1:${ports[lost]}: bind: address already in use`;
      const cli = await script(`late-${lost}`, `#!/bin/sh\necho "${line}" >&2\nexit 1\n`, 0o755);
      await assert.rejects(startDevServer({ cli, log: quiet, ...ports }), {
        kind: 'port-in-use',
        port: ports[lost],
        purpose,
      });
    });
  }
});

describe('a server that loses a port which it chose for itself', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-server-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const reasons = [
    ['says so', 'Error: listen tcp 127.0.0.1:4: bind: address already in use'],
    ['panics', 'panic: a port went away'],
  ] as const;
  for (const [how, line] of reasons) {
    it(`is started again when it ${how}, however long its stack trace is`, async () => {
      const real = await findTemporalCli({ log: quiet });
      const note = join(folder, how);
      const cli = join(folder, `${how}-once`);
      const trace = `${line}\n${'\tat a line of the trace\n'.repeat(500)}`;
      await writeFile(join(folder, `${how}-trace`), trace);
      await writeFile(
        cli,
        `#!/bin/sh\nif [ -e "${note}" ]; then exec "${real}" "$@"; fi\n` +
          `touch "${note}"\ncat "${folder}/${how}-trace" >&2\nexit 2\n`,
      );
      await chmod(cli, 0o755);
      const server = await startDevServer({ cli, log: quiet, port: await freePort() });
      await server.stop();
    });
  }

  it('is an error that begins with the reason when each start ends so', async () => {
    const cli = join(folder, 'always');
    await writeFile(cli, `#!/bin/sh\necho "panic: ${'again '.repeat(2_000)}" >&2\nexit 2\n`);
    await chmod(cli, 0o755);
    await assert.rejects(startDevServer({ cli, log: quiet }), {
      kind: 'server-start',
      message: /exit code 2.*It said: panic: again/,
    });
  });
});

describe('a server whose parent ends', () => {
  const ends: readonly (readonly [string, (parent: ChildProcess) => void])[] = [
    ['is killed', (parent) => parent.kill('SIGKILL')],
    ['gets SIGTERM', (parent) => parent.kill('SIGTERM')],
    ['gets SIGINT', (parent) => parent.kill('SIGINT')],
    ['throws', (parent) => parent.stdin?.write('throw\n')],
    ['exits', (parent) => parent.stdin?.write('exit\n')],
  ];
  for (const [how, end] of ends) {
    it(`is gone after its parent ${how}`, async () => {
      const cli = await findTemporalCli({ log: quiet });
      const parent = spawn(process.execPath, ['--input-type=module', '-e', parentCode(cli)], {
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      const [line] = await once(parent.stdout, 'data');
      const pid = Number(String(line));
      assert.equal(isAlive(pid), true);
      end(parent);
      await once(parent, 'close');
      await untilGone(pid);
    });
  }
});

/** A process that starts a server, prints its pid and then ends as it is told. */
function parentCode(cli: string): string {
  const module = JSON.stringify(projectFile('dist/src/lab/temporal-server.js'));
  return `
    import { startDevServer } from ${module};
    const { pid } = await startDevServer({ cli: ${JSON.stringify(cli)}, log: () => {} });
    process.stdin.on('data', (line) => {
      if (String(line) === 'exit\\n') process.exit(0);
      throw new Error('a crash');
    });
    console.log(pid);
  `;
}

/** Holds a port unless another process already does; returns what lets go of it. */
async function hold(port: number): Promise<() => Promise<void>> {
  // who takes it for a Temporal server is sent away: release() would wait for them
  const server = createServer((socket) => socket.destroy());
  const held = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)); // taken already, which serves the test as well
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  return async () => {
    if (held) await new Promise((resolve) => server.close(resolve));
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // no such process
  }
}

/** Waits for a process's end; the test file's own timeout is the limit. */
async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(20);
}
