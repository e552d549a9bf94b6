import { setMaxListeners } from 'node:events';
import { HoldfastError } from '../../budget/errors.js';
import { readTickets } from './agent.js';
import { InterruptedError } from './demo-errors.js';
import { help, readOptions } from './options.js';
import { createScreen } from './screen.js';

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const interruption = new AbortController();
setMaxListeners(0, interruption.signal); // each ticket that has yet to arrive listens
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => interruption.abort(new InterruptedError(name)));
}

process.exit(await main(process.argv.slice(2))); // what still runs ends with this process

async function main(args: readonly string[]): Promise<number> {
  const stops: (() => Promise<unknown>)[] = [];
  const { signal } = interruption;
  try {
    const tickets = await readTickets();
    const options = readOptions({ args, env: process.env, available: tickets.length });
    if (options === 'help') {
      process.stdout.write(help);
      return 0;
    }
    const { runDemo } = await import('./run-demo.js'); // with server and workers it takes a second to load
    const screen = createScreen(options.json ? process.stderr : process.stdout);
    const cleanup = { add: (stop: () => Promise<unknown>) => void stops.push(stop) };
    const running = runDemo({ options, tickets, screen, cleanup, signal });
    running.catch(() => {}); // lost to an interruption, nobody waits for it any more
    const { report, uiUrl } = await Promise.race([running, interrupted(signal)]);
    if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    if (process.stdout.isTTY && process.stdin.isTTY && !options.json) {
      screen.say(`\nThe Temporal UI stays up at ${uiUrl} until Ctrl-C.`);
      await interrupted(signal).catch(() => {}); // Ctrl-C is its proper end
    }
    return 0;
  } catch (error) {
    return explain(error);
  } finally {
    await Promise.allSettled(stops.map((stop) => stop()));
  }
}

function interrupted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason);
    // children don't keep this process alive, nor does a signal's listener
    const alive = setInterval(() => {}, 60_000);
    const onAbort = (): void => {
      clearInterval(alive);
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** One sentence for what is known to go wrong; the whole error for what isn't. */
function explain(error: unknown): number {
  const isKnown = error instanceof HoldfastError;
  const text = isKnown ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`\n${text}\n`);
  if (error instanceof InterruptedError) return signals[error.signal];
  return isKnown && error.kind === 'usage' ? 2 : 1;
}
