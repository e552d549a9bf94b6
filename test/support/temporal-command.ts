import { execFile } from 'node:child_process';
import { findTemporalCli } from '../../src/lab/temporal-server.js';

/** How a command ended. */
export type CommandEnd = {
  readonly code: number;
  readonly stdout: string;
  /** Both streams. */
  readonly output: string;
};

/** Runs the real `temporal` command against a server. */
export async function runTemporal(address: string, args: readonly string[]): Promise<CommandEnd> {
  const cli = await findTemporalCli({ log: (line) => console.error(line) });
  const whole = [...args, '--address', address, '--color', 'never', '--disable-config-file'];
  return new Promise((resolve) => {
    execFile(cli, whole, { maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, stdout, output: `${stdout}\n${stderr}` });
    });
  });
}
