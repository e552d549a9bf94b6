import { fileURLToPath } from 'node:url';
import { type Program, startProgram } from './programs.js';

/** Two workers of one kind, one of which can be killed in view. */
export type WorkerPair = {
  /** Kills one with SIGKILL and starts another in its place. Returns the killed one's process id. */
  readonly killOne: () => number | undefined;
  readonly stop: () => Promise<void>;
};

/** What the workers of a pair are told: worker.ts says what they read. */
export type WorkerOptions = {
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

const labels = new URL('./label-calls.js', import.meta.url);

const module = fileURLToPath(new URL('./worker.js', import.meta.url));

/**
 * Starts two workers and waits until both are ready.
 * @throws ProgramStartError where one isn't
 */
export async function startWorkerPair(options: WorkerOptions): Promise<WorkerPair> {
  const { env, signal } = options;
  const starting: Promise<void>[] = [];
  const running: Program[] = [];
  const startOne = (): void => {
    const one = startProgram({
      name: 'A worker',
      args: [`--import=${labels.href}`, module],
      env,
      readyMark: 'worker is ready',
      signal,
    }).then((program) => void running.push(program));
    one.catch(() => {}); // the waiting below hears of it; without a third worker the second goes on
    starting.push(one);
  };
  const stop = async (): Promise<void> => {
    await Promise.allSettled(starting);
    await Promise.all(running.map((program) => program.stop()));
  };
  startOne();
  startOne();
  await Promise.all(starting).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    killOne() {
      const victim = running.shift();
      if (victim === undefined) return undefined;
      process.kill(victim.pid, 'SIGKILL');
      startOne();
      return victim.pid;
    },
    stop,
  };
}
