import type { Worker } from '@temporalio/worker';

/**
 * Runs a measured worker in its own process: sends 'ready', answers 'usage' with the CPU microseconds used so far,
 * and ends with its parent or on 'stop'.
 */
export async function serveWorker(worker: Worker): Promise<void> {
  const stop = (): void => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  process.on('disconnect', stop);
  process.on('message', (message) => {
    if (message === 'stop') stop();
    if (message !== 'usage') return;
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system });
  });
  const ended = worker.run();
  process.send?.('ready');
  await ended;
  if (process.connected) process.disconnect();
}
