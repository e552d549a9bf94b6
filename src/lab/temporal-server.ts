import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { freePort, isPortFree } from './free-port.js';
import { type GuardedProcess, runGuarded } from './guarded-process.js';
import { PortInUseError, ServerStartError } from './server-errors.js';

export { type FindOptions, findTemporalCli, findTestServer } from './find-program.js';

/** How to run a development server. */
export type DevServerOptions = {
  /** Path of the Temporal CLI, from findTemporalCli. */
  readonly cli: string;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
  /** A port that must be free: PortInUseError otherwise. @default see `preferDefaultPorts` */
  readonly port?: number;
  /** As `port`, for the UI. */
  readonly uiPort?: number;
  /** Takes 7233 and 8233 where they are free; any free ones otherwise. @default false */
  readonly preferDefaultPorts?: boolean;
  /** Further dynamic configuration; values as JSON, so a duration is `'"10ms"'`. */
  readonly dynamicConfig?: Readonly<Record<string, string>>;
  /** Search attributes to register, name to type (`Keyword`, `Int`, ...). */
  readonly searchAttributes?: Readonly<Record<string, string>>;
  /** Namespaces besides `default`. */
  readonly namespaces?: readonly string[];
  /** Keeps the state in this file. @default in memory */
  readonly dbFilename?: string;
  /** @default 30,000 */
  readonly readyWithinMs?: number;
};

/** A development server that answers. */
export type DevServer = {
  /** host:port for clients and workers. */
  readonly address: string;
  readonly uiUrl: string;
  readonly pid: number;
  /** Stops the server and waits until it has gone; calling it again does nothing. */
  readonly stop: () => Promise<void>;
};

const host = '127.0.0.1';
const defaultPort = 7233;
const defaultUiPort = 8233;
const placements = 4;

// without it a retry's wait below a second becomes 0.1-1.2 s: the server's timer queue looks only
// once in `timerProcessorMaxTimeShift`, 1 s by default (measured on server 1.32.0)
const promptTimers = { 'history.timerProcessorMaxTimeShift': '"10ms"' };

/**
 * Starts `temporal server start-dev` and returns when it serves: the namespace answers and the UI
 * is up. The server ends with this process, also when that is killed. Throws PortInUseError when a
 * given port is taken and ServerStartError when the program can't be run, ends at once or stays
 * silent for `readyWithinMs`.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  for (let placement = 1; ; placement++) {
    options.signal?.throwIfAborted();
    const ports = await choosePorts(options);
    try {
      return await startOn(ports, options);
    } catch (error) {
      if (!(error instanceof ServerStartError && lostAPort(error.output))) throw error;
      refuseGivenPortLost(error.output, options);
      if (placement === placements) throw error;
    }
  }
}

/**
 * Between a free port's choice and its use another process may take it: one of ours, or one that
 * the server chose for itself, which may make it panic.
 */
function lostAPort(output: string): boolean {
  return output.includes('address already in use') || output.startsWith('panic:');
}

function refuseGivenPortLost(output: string, { port, uiPort }: DevServerOptions): void {
  const isNamed = (given: number | undefined): given is number =>
    given !== undefined && output.includes(`:${given}:`);
  if (isNamed(port)) throw new PortInUseError(port, 'the Temporal server');
  if (isNamed(uiPort)) throw new PortInUseError(uiPort, 'the Temporal UI');
}

type Ports = { readonly port: number; readonly uiPort: number };

async function choosePorts(options: DevServerOptions): Promise<Ports> {
  const { port, uiPort, preferDefaultPorts = false } = options;
  if (port !== undefined && !(await isPortFree(port))) {
    throw new PortInUseError(port, 'the Temporal server');
  }
  if (uiPort !== undefined && !(await isPortFree(uiPort))) {
    throw new PortInUseError(uiPort, 'the Temporal UI');
  }
  const pick = async (wanted: number): Promise<number> =>
    preferDefaultPorts && (await isPortFree(wanted)) ? wanted : freePort();
  return { port: port ?? (await pick(defaultPort)), uiPort: uiPort ?? (await pick(defaultUiPort)) };
}

async function startOn(ports: Ports, options: DevServerOptions): Promise<DevServer> {
  const { cli, log, signal, readyWithinMs = 30_000 } = options;
  const running = await runGuarded(cli, serverArguments(ports, options));
  if ('error' in running) throw new ServerStartError(cli, running.error, '');
  try {
    await untilServing({ running, ports, cli, readyWithinMs, signal });
  } catch (error) {
    await running.stop();
    throw error;
  }
  const address = `${host}:${ports.port}`;
  const uiUrl = `http://${host}:${ports.uiPort}`;
  log(`Temporal server at ${address}, UI at ${uiUrl}`);
  return { address, uiUrl, pid: running.pid, stop: running.stop };
}

function serverArguments(ports: Ports, options: DevServerOptions): string[] {
  const { dynamicConfig = {}, searchAttributes = {}, namespaces = [], dbFilename } = options;
  const pairs = (flag: string, entries: Readonly<Record<string, string>>): string[] =>
    Object.entries(entries).flatMap(([key, value]) => [flag, `${key}=${value}`]);
  return [
    ...['server', 'start-dev', '--ip', host, '--log-level', 'error'],
    ...['--port', String(ports.port), '--ui-port', String(ports.uiPort)],
    ...pairs('--dynamic-config-value', { ...promptTimers, ...dynamicConfig }),
    ...pairs('--search-attribute', searchAttributes),
    ...namespaces.flatMap((name) => ['--namespace', name]),
    ...(dbFilename === undefined ? [] : ['--db-filename', dbFilename]),
  ];
}

async function untilServing(options: {
  readonly running: GuardedProcess;
  readonly ports: Ports;
  readonly cli: string;
  readonly readyWithinMs: number;
  readonly signal: AbortSignal | undefined;
}): Promise<void> {
  const { running, ports, cli, readyWithinMs, signal } = options;
  const giveUpAt = performance.now() + readyWithinMs;
  let exitCode: number | null | undefined;
  void running.ended.then((code) => {
    exitCode = code; // never rejects: see GuardedProcess
  });
  while (!((await namespaceAnswers(ports.port)) && (await uiAnswers(ports.uiPort)))) {
    signal?.throwIfAborted();
    if (exitCode !== undefined) {
      throw new ServerStartError(cli, `it ended with exit code ${exitCode}`, running.output());
    }
    if (performance.now() > giveUpAt) {
      const reason = `it did not answer within ${readyWithinMs / 1000} s`;
      throw new ServerStartError(cli, reason, running.output());
    }
    await sleep(50);
  }
  // another process may serve on a port that this one lost
  if (exitCode !== undefined) throw new ServerStartError(cli, 'it ended', running.output());
}

async function namespaceAnswers(port: number): Promise<boolean> {
  if (await isPortFree(port)) return false;
  try {
    const connection = await Connection.connect({
      address: `${host}:${port}`,
      connectTimeout: 2_000,
    });
    try {
      await connection.withDeadline(Date.now() + 2_000, () =>
        connection.workflowService.describeNamespace({ namespace: 'default' }),
      );
      return true;
    } finally {
      await connection.close();
    }
  } catch {
    return false; // not yet: the caller asks again until its limit
  }
}

async function uiAnswers(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://${host}:${port}/`, { signal: AbortSignal.timeout(2_000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false; // not yet: the caller asks again until its limit
  }
}
