import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProgramStartError } from '../demo/demo-errors.js';
import type { FetchWay } from '../fetch-program.js';
import { findProgram } from '../find-program.js';
import { freePort } from '../free-port.js';
import { runGuarded } from '../guarded-process.js';
import type { LabProgram } from '../server-programs.js';
import { runProgram } from '../subprocess.js';

/** Toxiproxy, and the Go module that it is built of. */
type GoProgram = LabProgram & { readonly module: string };

const toxiproxy: GoProgram = {
  title: 'Toxiproxy',
  executable: 'toxiproxy-server',
  variable: 'TOXIPROXY_PATH',
  version: '2.12.0',
  module: 'github.com/Shopify/toxiproxy/v2/cmd/server',
  probe: ['--help'],
  needs: 'the network and Go 1.23 or newer',
};

const buildWithinMs = 600_000;
const readyWithinMs = 10_000;

/** `go install` of the module, which takes a minute or two and is kept in the cache. */
const goInstall: FetchWay<GoProgram> = {
  place: 'the Go module proxy',
  async fetch({ program, folder, env, signal }) {
    const ended = await runProgram({
      command: 'go',
      args: ['install', `${program.module}@v${program.version}`],
      timeoutMs: buildWithinMs,
      env: { ...env, GOBIN: folder },
      signal,
    });
    if (ended.code !== 0) return { reason: ended.output.split('\n').at(-1) || 'it does not build' };
    const path = join(folder, program.executable);
    await rename(join(folder, 'server'), path); // named for the folder of its main package
    return { path };
  },
};

/** A Toxiproxy that answers. */
export type Toxiproxy = { readonly apiUrl: string; readonly stop: () => Promise<void> };

/** Returns the path of a Toxiproxy, built where none is there. Throws ServerProgramMissingError. */
export function findToxiproxy(options: {
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
}): Promise<string> {
  return findProgram(toxiproxy, { ...options, ways: [goInstall] });
}

/**
 * Starts a Toxiproxy on a free port of 127.0.0.1; it ends with this process. The seed decides which connections
 * are struck, in the order in which they come.
 * @throws ProgramStartError where it doesn't answer in time
 */
export async function startToxiproxy(options: {
  readonly path: string;
  readonly seed: number;
  readonly signal?: AbortSignal;
}): Promise<Toxiproxy> {
  const { path, seed, signal } = options;
  const port = await freePort();
  const running = await runGuarded(path, [
    ...['-host', '127.0.0.1', '-port', String(port)],
    ...['-seed', String(seed)],
  ]);
  if ('error' in running) throw new ProgramStartError('Toxiproxy', running.error, '');
  const apiUrl = `http://127.0.0.1:${port}`;
  const giveUpAt = performance.now() + readyWithinMs;
  while (!(await answers(`${apiUrl}/version`))) {
    if (performance.now() > giveUpAt || signal?.aborted) {
      await running.stop();
      signal?.throwIfAborted();
      throw new ProgramStartError('Toxiproxy', 'it did not answer', running.output());
    }
    await sleep(50);
  }
  return { apiUrl, stop: running.stop };
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false, // not yet
  );
}
