import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { HoldfastError } from '../../budget/errors.js';

/** A worker whose CPU time can be read. */
export type MeasuredWorker<Kind extends string> = {
  readonly kind: Kind;
  readonly taskQueue: string;
  /** Returns the CPU milliseconds that its process has used: all threads, user and system. */
  readonly cpuMs: () => Promise<number>;
  /** Stops it and waits for its end. */
  readonly stop: () => Promise<void>;
};

/** A worker's process ended before it was told to. */
export class WorkerEndedError extends HoldfastError {
  readonly kind = 'bench-worker-ended';

  constructor(
    readonly worker: string,
    readonly output: string,
  ) {
    super(`The ${worker} worker ended before its work was done: ${output || 'it said nothing'}`);
  }
}

const STOP_WITHIN_MS = 10_000;
const KEPT_CHARACTERS = 4_000;

/**
 * Starts the worker of a kind and returns when it runs.
 * Throws WorkerEndedError where it can't.
 */
export async function startMeasuredWorker<Kind extends string>(options: {
  readonly kind: Kind;
  readonly address: string;
  /** Path of the kind's workflow bundle. */
  readonly bundle: string;
  readonly profileFolder?: string | undefined;
  /** The file of this folder that its process runs. @default worker-process.js */
  readonly script?: string;
  /** What that file takes beside kind, address, task queue and bundle. */
  readonly more?: readonly string[];
}): Promise<MeasuredWorker<Kind>> {
  const { kind, address, bundle, profileFolder, script = 'worker-process.js', more = [] } = options;
  const taskQueue = `bench-${kind}`;
  const path = fileURLToPath(new URL(`./${script}`, import.meta.url));
  const child = fork(path, [kind, address, taskQueue, bundle, ...more], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: profileFolder === undefined ? [] : profileArguments(profileFolder, kind),
  });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString('utf8')).slice(-KEPT_CHARACTERS);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const lost = once(child, 'exit').then((): never => {
    throw new WorkerEndedError(kind, output.trim());
  });
  lost.catch(() => {}); // whoever waits for a message races against it
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', kill);
  await Promise.race([once(child, 'message'), lost]);
  return {
    kind,
    taskQueue,
    cpuMs: async () => {
      const answer = once(child, 'message');
      child.send('usage');
      const [message] = await Promise.race([answer, lost]);
      return (message as { readonly cpuMicros: number }).cpuMicros / 1_000; // worker-process.ts sends nothing else
    },
    stop: async () => {
      process.off('exit', kill);
      await stopChild(child);
    },
  };
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.send('stop');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}

function profileArguments(folder: string, kind: string): string[] {
  return ['--cpu-prof', `--cpu-prof-dir=${folder}/${kind}`];
}
