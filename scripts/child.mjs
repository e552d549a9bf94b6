import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs a program in the project's folder, passes SIGINT, SIGTERM and SIGHUP on to it, and returns
 * its exit code: 127 when it could not be run, 128 + n when signal n ended it. With
 * `output: 'kept'` its standard output is returned instead of shown. */
export function run(command, args, { env = {}, output = 'shown', input = 'shared' } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: [
        input === 'shared' ? 'inherit' : 'ignore',
        output === 'shown' ? 'inherit' : 'pipe',
        output === 'silent' ? 'pipe' : 'inherit',
      ],
    });
    let text = '';
    const keep = (chunk) => {
      text += chunk;
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    // Ctrl-C reaches the child from the terminal already; twice would read as "at once"
    const forward = (signal) => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, forward);
    const end = (code) => {
      for (const signal of signals) process.removeListener(signal, forward);
      resolve({ code, text });
    };
    child.once('error', (error) => {
      text += error.message;
      end(127);
    });
    child.once('close', (code, signal) => end(code ?? 128 + (signalNumbers[signal] ?? 0)));
  });
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };

/** Runs a compiled module of dist with this Node. */
export function runNode(args, options) {
  return run(process.execPath, ['--enable-source-maps', ...args], options);
}

/** One line of progress, on standard error so that output stays usable by programs. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Says what takes a while, and every 15 seconds until it is done how long it has taken. */
export async function saying(what, work) {
  say(`${what} ...`);
  const startedAt = performance.now();
  const tell = () => say(`${what} ... ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  const timer = setInterval(tell, 15_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Ends the script with one sentence that says what failed and what to try. */
export function fail(sentence, code = 1) {
  say(`holdfast: ${sentence}`);
  process.exit(code);
}

/** Prints the text and ends when the arguments ask for help. */
export function helpIfAsked(args, text) {
  if (!args.includes('--help') && !args.includes('-h')) return;
  process.stdout.write(`${text.trim()}\n`);
  process.exit(0);
}
