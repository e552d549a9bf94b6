import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection, Worker } from '@temporalio/worker';
import { holdfast } from '../../plugin.js';
import { ServerUnreachableError } from '../cli-errors.js';
import { workerConnectFailure } from '../connect-failure.js';
import type { ServerConfig } from '../temporal-client.js';
import type { LoadedConfig } from './load-config.js';
import type { Stores } from './open-stores.js';

/** What a worker is run with. */
export type WorkerRun = {
  readonly config: LoadedConfig;
  readonly stores: Stores;
  readonly server: ServerConfig;
  /** Hears once that the worker takes tasks. */
  readonly onReady: () => void;
};

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** The exit code of what a signal has ended: 128 and the signal's number. */
const signalCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs a worker until SIGINT or SIGTERM: what runs then may end in the worker's `shutdownGraceTime`. A second
 * signal ends the process at once.
 * @throws ServerUnreachableError where the server gives no answer, or has no such namespace
 */
export async function runWorker({ config, stores, server, onReady }: WorkerRun): Promise<void> {
  const connection = await connect(server).catch(async (cause: unknown) => {
    throw await workerConnectFailure(server, cause);
  });
  try {
    const { workflowsPath, taskQueue, workerOptions, close: _close, ...options } = config;
    const worker = await Worker.create({
      shutdownGraceTime: '10s',
      ...workerOptions,
      connection,
      namespace: server.namespace,
      taskQueue,
      workflowsPath,
      plugins: [...(workerOptions?.plugins ?? []), holdfast({ ...options, ...stores })],
    });
    const release = onSignals(() => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    });
    try {
      const ended = worker.run();
      onReady();
      await ended;
    } catch (error) {
      throw isUnknownNamespace(error)
        ? new ServerUnreachableError(
            server.address,
            `it has no namespace ${server.namespace}`,
            error,
          )
        : error;
    } finally {
      release();
    }
  } finally {
    await connection.close();
  }
}

/** Milliseconds for a worker's connection: the SDK itself would wait for ever where a server accepts and is silent. */
const CONNECT_MS = 20_000;

async function connect(server: ServerConfig): Promise<NativeConnection> {
  const over = new AbortController();
  const tooLate = sleep(CONNECT_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error(`it took longer than ${CONNECT_MS} ms`);
  });
  try {
    return await Promise.race([NativeConnection.connect(server.connection), tooLate]);
  } finally {
    tooLate.catch(() => {}); // aborted, since the connection was there first
    over.abort();
  }
}

/** Calls `stop` at the first signal, and ends the process at the second. Returns what ends that. */
function onSignals(stop: () => void): () => void {
  let isStopping = false;
  const listeners = SIGNALS.map((signal) => {
    const listener = (): void => {
      if (isStopping) process.exit(signalCodes[signal]);
      isStopping = true;
      process.stderr.write('Stopping: what runs may end first. Once more ends it at once.\n');
      stop();
    };
    process.on(signal, listener);
    return () => void process.off(signal, listener);
  });
  return () => {
    for (const release of listeners) release();
  };
}

/** The SDK tells it in the text alone. */
function isUnknownNamespace(error: unknown): boolean {
  return error instanceof Error && /namespace.*not found/i.test(error.message);
}
