import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import { openSqlite } from '../../ledger/index.js';
import { holdfast } from '../../plugin.js';
import { heartbeating } from '../demo/heartbeating.js';
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
  ...(kind === 'plain' ? plainOptions() : await governedOptions()),
});
process.stdout.write('The worker is ready\n');
await worker.run();
await connection.close();

async function governedOptions(): Promise<Pick<WorkerOptions, 'plugins'>> {
  const ledger = await openSqlite({ path: ledgerFile });
  return { plugins: [holdfast({ implementations, ledger })] };
}

function plainOptions(): Pick<WorkerOptions, 'activities'> {
  const activities = implementations.map(({ tool, activity }) => [
    tool.name,
    heartbeating(activity),
  ]);
  return { activities: Object.fromEntries(activities) };
}
