import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { serveWorker } from './serve-worker.js';
import { isWorkerKind, kindOptions } from './worker-kinds.js';

/** A worker in a process of its own, so that its CPU time can be read apart: see serveWorker. */
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
await serveWorker(worker);
await connection.close();
