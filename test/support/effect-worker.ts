import type { EffectWorkerMessage, EffectWorkerOptions } from './effect-worker-process.js';
import { startToldProcess, type ToldProcess } from './told-process.js';

/** A worker of the crash suite in a process of its own. */
export type EffectWorker = Pick<ToldProcess<EffectWorkerMessage>, 'kill' | 'freeze' | 'thaw'> & {
  /** Waits until so many attempts stand where they were told to. */
  readonly stalled: (attempts: number) => Promise<void>;
  /** Lets those that stand, and all later ones, go on. */
  readonly goOn: () => void;
  /** Shuts the worker down as a deploy does: what it has begun it ends. */
  readonly shutDown: () => Promise<void>;
};

/** Starts a worker process and waits until it polls. */
export async function startEffectWorker(options: EffectWorkerOptions): Promise<EffectWorker> {
  const { told, heard, send, ended, ...rest } = startToldProcess<EffectWorkerMessage>(
    'effect-worker-process.js',
    options,
  );
  await heard(({ kind }) => kind === 'running');
  const stalled = (): number => told.filter(({ kind }) => kind === 'stalled').length;
  return {
    ...rest,
    stalled: (attempts) => heard(() => stalled() >= attempts),
    goOn: () => send('go on'),
    shutDown: async () => {
      send('shut down');
      await ended;
    },
  };
}
