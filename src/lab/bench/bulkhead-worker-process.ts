import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { implementTool } from '../../activities/implement-tool.js';
import { holdfast } from '../../plugin.js';
import { type Neighbour, neighbours, neighbourTools } from './bulkhead-tools.js';
import { serveWorker } from './serve-worker.js';

/**
 * A worker with few activity slots:
 * `node bulkhead-worker-process.js <kind> <address> <task queue> <bundle> <downstream URL> <slots>`.
 */
const [, address = '', taskQueue = '', codePath = '', url = '', slots = ''] = process.argv.slice(2);

Runtime.install({ logger: new DefaultLogger('WARN') });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowBundle: { codePath },
  maxConcurrentActivityTaskExecutions: Number(slots),
  plugins: [holdfast({ implementations: neighbours.map(implemented) })],
});
await serveWorker(worker);
await connection.close();

function implemented(neighbour: Neighbour) {
  return implementTool(neighbourTools[neighbour], async (_, { http }) => {
    await http({ url: `${url}/${neighbour}` });
    return { ok: true };
  });
}
