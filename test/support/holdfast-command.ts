import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { projectFile } from './root.js';

/** How the `holdfast` command ended. */
export type HoldfastEnd = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Where a command runs, and what it reads. */
export type HoldfastOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; empty without it. */
  readonly input?: string;
};

/** Runs the `holdfast` command as a process, in an environment without settings of this machine's. */
export async function runHoldfast(
  args: readonly string[],
  { env = {}, input = '' }: HoldfastOptions = {},
): Promise<HoldfastEnd> {
  const child = spawn(process.execPath, [projectFile('dist/src/cli/main.js'), ...args], {
    env: cleanEnv(env),
  });
  child.stdin.on('error', () => {}); // a command that reads nothing may be gone before it is written
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, string | null]>, // the event's declared values
  ]);
  return { code, stdout, stderr };
}

/** The environment of a command: this one's PATH, and a configuration file that isn't there. */
export function cleanEnv(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    TEMPORAL_CONFIG_FILE: projectFile('dist', 'no-such-configuration.toml'),
    ...env,
  };
}
