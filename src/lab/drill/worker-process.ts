import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { kindOptions } from '../demo/kind-options.js';
import { drillImplementations } from './drill-implementations.js';

/**
 * A worker of the drill: its tools under holdfast, or, with KIND=plain, as ordinary activities. METRICS is the
 * address at which it tells its metrics.
 */
const {
  KIND: kind = 'holdfast',
  BUNDLE: codePath = '',
  TASK_QUEUE: taskQueue = '',
  TEMPORAL_ADDRESS: address = '',
  NAMESPACE: namespace = 'default',
  UPSTREAM_URL: shopUrl = '',
  LEDGER_FILE: ledgerFile = '',
  METRICS: bindAddress = '',
} = process.env;

Runtime.install({
  logger: new DefaultLogger('ERROR'), // a failed attempt is a warning, and there are hundreds
  telemetryOptions: { metrics: { prometheus: { bindAddress } } },
});
const implementations = drillImplementations(shopUrl);
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue,
  workflowBundle: { codePath },
  ...(await kindOptions(kind, { implementations, ledgerFile })),
});
process.stdout.write('The worker is ready\n');
await worker.run();
await connection.close();
