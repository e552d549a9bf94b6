import { spawn } from 'node:child_process';

/**
 * Runs a program for as long as its own standard input stays open:
 * `node process-guard.js <program> [arguments]`. The parent holds the other end of that pipe, and
 * the system closes it however the parent ends, by SIGKILL too; then the program is stopped.
 * Sends {pid} over the IPC channel once the program runs, {error} when it can't be run, and ends
 * with its exit code.
 */
const killAfterMs = 3_000;
const [program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });

const stop = (): void => {
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), killAfterMs).unref();
};

child.once('spawn', () => process.send?.({ pid: child.pid }));
child.once('error', (error) => {
  process.send?.({ error: error.message }, () => process.exit(1));
});
child.once('exit', (code) => process.exit(code ?? 1));
process.stdin.on('end', stop).on('error', stop).resume();
process.on('disconnect', stop);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
