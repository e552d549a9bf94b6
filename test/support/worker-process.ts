import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { holdfast } from 'holdfast';
import { openSqlite } from 'holdfast/ledger';
import { plainActivities } from '../replay/fixture/plain-activities.js';
import { stallingImplementations } from './stalling-implementations.js';

/** What a worker process is started with, as JSON in its first argument. */
export type WorkerProcessOptions = {
  readonly address: string;
  readonly taskQueue: string;
  /** Path of a workflow bundle that was built with the plugin. */
  readonly bundlePath: string;
  /** The file of the ledger that the workers share. */
  readonly ledgerPath: string;
  readonly stallAt: readonly string[];
  readonly upstreamUrl?: string | undefined;
};

/** What it tells its parent. */
export type WorkerProcessMessage =
  | { readonly kind: 'running' }
  | { readonly kind: 'attempt'; readonly at: string };

const tell = (message: WorkerProcessMessage): void => {
  process.send?.(message);
};

// A parent that is gone, however it went, takes its workers with it.
process.once('disconnect', () => process.exit(1));

Runtime.install({ logger: new DefaultLogger('ERROR') });
const options = JSON.parse(process.argv[2] ?? '') as WorkerProcessOptions; // startChildWorker wrote it
const connection = await NativeConnection.connect({ address: options.address });
const ledger = await openSqlite({ path: options.ledgerPath });
const plugin = holdfast({
  ledger,
  implementations: stallingImplementations({
    stallAt: options.stallAt,
    upstreamUrl: options.upstreamUrl,
    onAttempt: (at) => tell({ kind: 'attempt', at }),
  }),
});
const worker = await Worker.create({
  connection,
  identity: 'test',
  taskQueue: options.taskQueue,
  workflowBundle: { codePath: options.bundlePath },
  activities: plainActivities(),
  plugins: [plugin],
  // the tasks of a lost worker's cached workflows come back soon
  stickyQueueScheduleToStartTimeout: 500,
});
process.once('message', () => worker.shutdown()); // the parent sends nothing else
const ended = worker.run();
tell({ kind: 'running' });
await ended;
await connection.close();
await ledger.close();
process.disconnect?.();
