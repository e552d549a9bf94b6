import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { projectFile } from './root.js';

/** A process of a test's own that tells what it does. */
export type ToldProcess<Message> = {
  /** Waits until it has told this, be it before or from now on. Rejects where the process ends first. */
  readonly heard: (wanted: (message: Message) => boolean) => Promise<void>;
  /** Everything that it has told so far, in order. */
  readonly told: readonly Message[];
  readonly send: (message: string) => void;
  /** Freezes it as it stands, as a machine does that is suspended; its timers stand still as well. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Ends the process by SIGKILL: it says goodbye to nobody. */
  readonly kill: () => Promise<void>;
  /** Resolves when it has ended, however that came. */
  readonly ended: Promise<unknown>;
};

/** Starts a compiled script of `test/support` with its options as JSON in its first argument. */
export function startToldProcess<Message>(script: string, options: object): ToldProcess<Message> {
  const child = fork(projectFile('dist', 'test', 'support', script), [JSON.stringify(options)], {
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const told: Message[] = [];
  child.on('message', (message) => told.push(message as Message)); // it sends nothing else
  return {
    told,
    heard: (wanted) => hear(child, () => told.some(wanted)),
    send: (message) => void child.send(message), // what can't be sent ends in the child's exit
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    ended,
  };
}

async function hear(child: ChildProcess, isTold: () => boolean): Promise<void> {
  while (!isTold()) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error('the worker process has ended');
    await Promise.race([once(child, 'message'), once(child, 'exit')]);
  }
}
