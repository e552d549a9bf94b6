import { type GuardedProcess, runGuarded } from '../guarded-process.js';
import { ProgramStartError } from './demo-errors.js';

/** A program of the demo that said it is ready. */
export type Program = {
  readonly pid: number;
  readonly stop: () => Promise<void>;
  /** What the ready line said beyond the mark. */
  readonly readyLine: string;
};

/** A compiled module to run with this Node. */
export type ProgramOptions = {
  readonly name: string;
  /** Arguments of Node: the module, and what stands before and after it. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A part of the line that it writes when it is ready. */
  readonly readyMark: string;
  readonly signal: AbortSignal;
};

const readyWithinMs = 60_000;

/**
 * Runs a module as a child process and waits until it says that it is ready. It ends with this process.
 * @throws ProgramStartError where it ends or stays silent; the signal's reason where that aborts
 */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { name, args, env = {}, readyMark, signal } = options;
  signal.throwIfAborted();
  const waiting = createWaiting();
  let written = '';
  let isReady = false;
  const running = await runGuarded(process.execPath, args, {
    env: { ...process.env, ...env },
    onOutput(text) {
      if (isReady) return;
      written += text;
      const line = written
        .split('\n')
        .slice(0, -1)
        .find((one) => one.includes(readyMark));
      if (line === undefined) return;
      isReady = true;
      waiting.resolve(line);
    },
  });
  if ('error' in running) throw new ProgramStartError(name, running.error, '');
  const refuse = (reason: string): void =>
    waiting.reject(new ProgramStartError(name, reason, lastLine(running)));
  void running.ended.then((code) => refuse(`it ended with code ${code}`)); // never rejects
  const timer = setTimeout(
    () => refuse(`it was silent for ${readyWithinMs / 1000} s`),
    readyWithinMs,
  );
  const onAbort = (): void => waiting.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const readyLine = await waiting.promise;
    return { pid: running.pid, stop: running.stop, readyLine };
  } catch (error) {
    await running.stop();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function lastLine(running: GuardedProcess): string {
  return running.output().split('\n').at(-1)?.trim() ?? '';
}

type Waiting = {
  readonly promise: Promise<string>;
  readonly resolve: (line: string) => void;
  readonly reject: (reason: unknown) => void;
};

function createWaiting(): Waiting {
  let resolve: Waiting['resolve'] = () => {};
  let reject: Waiting['reject'] = () => {};
  const promise = new Promise<string>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  promise.catch(() => {}); // whoever waits hears of it
  return { promise, resolve, reject };
}
