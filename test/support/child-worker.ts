import { writeBundle } from './bundle-file.js';
import { startToldProcess } from './told-process.js';
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
    options?: Partial<Pick<WorkerProcessOptions, 'stallAt' | 'upstreamUrl' | 'taskQueue'>>,
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
  const { address, bundle, ledgerPath } = options;
  const bundleFile = await writeBundle(bundle);
  const started: ChildWorker[] = [];
  const killAll = async (): Promise<void> => {
    await Promise.all(started.splice(0).map((worker) => worker.kill()));
  };
  return {
    killAll,
    start: async ({ stallAt = [], upstreamUrl, taskQueue = options.taskQueue } = {}) => {
      const bundlePath = bundleFile.path;
      const own = { address, taskQueue, bundlePath, ledgerPath, stallAt, upstreamUrl };
      const worker = await startChildWorker(own);
      started.push(worker);
      return worker;
    },
    stop: async () => {
      await killAll();
      await bundleFile.remove();
    },
  };
}

async function startChildWorker(options: WorkerProcessOptions): Promise<ChildWorker> {
  const { heard, send, kill, ended } = startToldProcess<WorkerProcessMessage>(
    'worker-process.js',
    options,
  );
  await heard((message) => message.kind === 'running');
  return {
    attempted: (at) => heard((message) => message.kind === 'attempt' && message.at === at),
    kill,
    shutDown: async () => {
      send('shut down');
      await ended;
    },
  };
}
