import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectFile } from './root.js';

/** A compiled module that runs as a process of its own. */
export type RunningModule = {
  readonly child: ChildProcess;
  /** What it wrote so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Settles with the exit code when it has ended. */
  readonly ended: Promise<number | null>;
};

/** Runs a module below dist, such as `src/lab/demo/main.js`, with these arguments and this environment. */
export function runModule(
  module: string,
  options: { readonly args?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {},
): RunningModule {
  const { args = [], env = process.env } = options;
  const child = spawn(process.execPath, [projectFile('dist', module), ...args], {
    cwd: projectFile(),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const ended = once(child, 'close').then(([code]) => code as number | null); // the event's declared values
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

/**
 * Waits until a condition holds; asks ten times a second.
 * @throws Error after a minute, or when the module ends before
 */
export async function untilTrue(holds: () => boolean, running?: RunningModule): Promise<void> {
  for (let asked = 0; !holds(); asked++) {
    const hasEnded = running !== undefined && running.child.exitCode !== null;
    if (hasEnded || asked > 600) {
      throw new Error(`it did not come to pass; ${running?.stdout()} ${running?.stderr()}`);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}
