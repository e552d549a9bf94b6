import { setMaxListeners } from 'node:events';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Hands a signal to a long piece of work that stops what it has started when Ctrl-C or a kill aborts it; then the
 * process ends as if nobody had listened. A second Ctrl-C ends it at once.
 */
export async function whileUninterrupted<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const interruption = new AbortController();
  setMaxListeners(0, interruption.signal); // each ticket that has yet to arrive listens
  let caught: NodeJS.Signals | undefined;
  const onSignal = (name: NodeJS.Signals): void => {
    if (caught !== undefined) end(name);
    caught = name;
    interruption.abort(new Error(`stopped by ${name}`));
  };
  const end = (name: NodeJS.Signals): void => {
    for (const one of signals) process.off(one, onSignal);
    process.kill(process.pid, name);
  };
  for (const name of signals) process.on(name, onSignal);
  try {
    return await work(interruption.signal);
  } finally {
    if (caught !== undefined) end(caught);
    for (const name of signals) process.off(name, onSignal);
  }
}
