import { NativeConnection, Worker } from '@temporalio/worker';
import { loadImplementations } from './agent.js';
import { kindOptions } from './kind-options.js';

/**
 * A worker of the demo: the example's tools under holdfast, or, with KIND=plain, the same tools as
 * ordinary activities. Takes BUNDLE, the path of a workflow bundle, beside what the example's worker reads.
 */
const {
  KIND: kind = 'holdfast',
  BUNDLE: codePath = '',
  TEMPORAL_ADDRESS: address = '',
  UPSTREAM_URL: shopUrl = '',
  MODEL_URL: url = '',
  MODEL_NAME: name = '',
  LEDGER_FILE: ledgerFile = '',
} = process.env;

const implementations = await loadImplementations({ shopUrl, model: { url, name } });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue: kind,
  workflowBundle: { codePath },
  // so soon the other worker takes over what a killed one held in its cache
  stickyQueueScheduleToStartTimeout: '2s',
  ...(await kindOptions(kind, { implementations, ledgerFile })),
});
process.stdout.write('The worker is ready\n');
await worker.run();
await connection.close();
