import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFile } from './root.js';
import type { WorkerProcessMessage, WorkerProcessOptions } from './worker-process.js';

/** A worker in a process of its own. */
export type ChildWorker = {
  /** Waits until an attempt (`tool#attempt`) has begun there. */
  readonly attempted: (at: string) => Promise<void>;
  /** Ends the process by SIGKILL: it says goodbye to nobody. */
  readonly kill: () => Promise<void>;
  /** Shuts the worker down as a deploy does, and waits until the process has ended. */
  readonly shutDown: () => Promise<void>;
};

/** Starts worker processes that share one bundle. */
export type ChildWorkers = {
  readonly start: (
    options?: Partial<Pick<WorkerProcessOptions, 'stallAt' | 'upstreamUrl'>>,
  ) => Promise<ChildWorker>;
  /** Kills those that still run: a test that failed leaves nobody behind who takes another's tasks. */
  readonly killAll: () => Promise<void>;
  /** Kills those that still run and removes the bundle's file. */
  readonly stop: () => Promise<void>;
};

/** What every worker process of a test file shares. */
export type ChildWorkersOptions = {
  readonly address: string;
  readonly taskQueue: string;
  readonly bundle: { readonly code: string };
  readonly ledgerPath: string;
};

/** Writes the bundle to a file for the worker processes to come. */
export async function childWorkers(options: ChildWorkersOptions): Promise<ChildWorkers> {
  const { address, taskQueue, bundle, ledgerPath } = options;
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const bundlePath = join(folder, 'bundle.js');
  await writeFile(bundlePath, bundle.code);
  const started: ChildWorker[] = [];
  const killAll = async (): Promise<void> => {
    await Promise.all(started.splice(0).map((worker) => worker.kill()));
  };
  return {
    killAll,
    start: async ({ stallAt = [], upstreamUrl } = {}) => {
      const own = { address, taskQueue, bundlePath, ledgerPath, stallAt, upstreamUrl };
      const worker = await startChildWorker(own);
      started.push(worker);
      return worker;
    },
    stop: async () => {
      await killAll();
      await rm(folder, { recursive: true });
    },
  };
}

async function startChildWorker(options: WorkerProcessOptions): Promise<ChildWorker> {
  const script = projectFile('dist', 'test', 'support', 'worker-process.js');
  const child = fork(script, [JSON.stringify(options)], {
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const heard = messages(child);
  await heard((message) => message.kind === 'running');
  return {
    attempted: (at) => heard((message) => message.kind === 'attempt' && message.at === at),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    shutDown: async () => {
      child.send('shut down');
      await exited;
    },
  };
}

type Heard = (wanted: (message: WorkerProcessMessage) => boolean) => Promise<void>;

/** Returns what waits for a message, be it one that has come already. */
function messages(child: ChildProcess): Heard {
  const all: WorkerProcessMessage[] = [];
  child.on('message', (message) => all.push(message as WorkerProcessMessage)); // it sends nothing else
  return async (wanted) => {
    while (!all.some(wanted)) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error('the worker process has ended');
      await Promise.race([once(child, 'message'), once(child, 'exit')]);
    }
  };
}
