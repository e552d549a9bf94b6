import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { isWorkerKind, kindOptions } from './worker-kinds.js';

/**
 * A worker in a process of its own, so that its CPU time can be read apart:
 * `node worker-process.js <kind> <address> <task queue> <bundle>`. Sends 'ready', answers 'usage' with the CPU
 * microseconds used so far, and ends with its parent or on 'stop'.
 */
const [kind, address = '', taskQueue = '', codePath = ''] = process.argv.slice(2);
if (!isWorkerKind(kind)) throw new Error(`There is no worker of the kind ${kind}.`);

Runtime.install({ logger: new DefaultLogger('WARN') });
const connection = await NativeConnection.connect({ address });
const { activities, plugins } = kindOptions(kind);
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowBundle: { codePath },
  activities,
  plugins,
});

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
await connection.close();
if (process.connected) process.disconnect();
