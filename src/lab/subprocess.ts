import { spawn } from 'node:child_process';

/** How a program ended: its exit code (null when it was killed or never ran) and what it said. */
export type Ended = {
  readonly code: number | null;
  readonly output: string;
};

/** What to run and within which limits. */
export type RunOptions = {
  readonly command: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** Asked four times a second; a string ends the program at once and becomes its output. */
  readonly giveUp?: (elapsedMs: number) => string | undefined;
};

const keptCharacters = 4_000;
const askEveryMs = 250;

/**
 * Runs a program to its end with no input and returns its exit code and the last 4,000 characters
 * of its output. Never throws: a program that is missing, too slow or aborted ends with code null.
 */
export function runProgram(options: RunOptions): Promise<Ended> {
  const { command, args, timeoutMs, env, signal, giveUp } = options;
  if (signal?.aborted) return Promise.resolve({ code: null, output: 'it was stopped' });
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let output = '';
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(env === undefined ? {} : { env }),
    });
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-keptCharacters);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);

    const end = (ended: Ended): void => {
      clearInterval(timer);
      signal?.removeEventListener('abort', onAbort);
      process.removeListener('exit', kill);
      resolve(ended);
    };
    const kill = (): void => {
      child.kill('SIGKILL');
    };
    const stop = (reason: string): void => {
      kill();
      end({ code: null, output: reason });
    };
    const onAbort = (): void => stop('it was stopped');
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - startedAt;
      if (elapsedMs > timeoutMs) return stop(`it took longer than ${timeoutMs / 1000} s`);
      const reason = giveUp?.(elapsedMs);
      if (reason !== undefined) stop(reason);
    }, askEveryMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    process.once('exit', kill);
    child.once('error', (error) => end({ code: null, output: error.message }));
    child.once('close', (code) => end({ code, output: output.trim() }));
  });
}
