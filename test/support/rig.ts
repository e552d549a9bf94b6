import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import {
  DefaultLogger,
  type LogEntry,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerOptions,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { type HoldfastOptions, type HoldfastPlugin, holdfast } from 'holdfast';
import { installTelemetry, type MetricsTarget } from 'holdfast/telemetry';
import { registeredTypes } from '../../src/contract/search-attributes.js';
import { keptBundle } from './kept-bundle.js';
import { startTestServer } from './server.js';
import { openTestLedger } from './test-ledger.js';

/** A real server with a worker and a client of holdfast. */
export type Rig = {
  readonly client: Client;
  readonly plugin: HoldfastPlugin;
  /** The file of the rig's own ledger, for workers in other processes; empty where a test brought one. */
  readonly ledgerPath: string;
  readonly bundle: WorkflowBundleWithSourceMap;
  readonly taskQueue: string;
  readonly address: string;
  readonly uiUrl: string;
  /** Lines of holdfast's log so far. */
  readonly decisions: () => readonly Decision[];
  /** A workflow id that no other test uses. */
  readonly id: (name: string) => string;
  /** Starts another worker of the same bundle and queue. */
  readonly startWorker: (options?: Partial<WorkerOptions>) => Promise<RunningWorker>;
  /** The rig's own worker. */
  readonly worker: RunningWorker;
  readonly stop: () => Promise<void>;
};

/** A worker that runs until it is stopped. */
export type RunningWorker = { readonly stop: () => Promise<void> };

/** One structured line of the gate. */
export type Decision = {
  readonly task: string;
  readonly tool: string;
  readonly downstream: string;
  readonly attempt: number;
  readonly decision: string;
  readonly reason: string;
};

/** What a rig is made of. */
export type RigOptions = HoldfastOptions & {
  /** Path of the workflows file below the compiled project, such as `test/workflows/fixture/workflows.js`. */
  readonly workflows: string;
  readonly worker?: Partial<WorkerOptions>;
  readonly dynamicConfig?: Readonly<Record<string, string>>;
  /** Namespaces besides `default`. */
  readonly namespaces?: readonly string[];
  /** Whether the server has holdfast's search attributes. @default only where the rig's client uses them */
  readonly hasAttributes?: boolean;
  /** Where the file's process exports its metrics. @default nowhere */
  readonly metrics?: MetricsTarget;
};

const entries: LogEntry[] = [];
let isInstalled = false;

function installRuntime(metrics: MetricsTarget | undefined): void {
  if (isInstalled) return;
  isInstalled = true;
  const runtime = { logger: new DefaultLogger('DEBUG', (entry) => entries.push(entry)) };
  if (metrics === undefined) Runtime.install(runtime);
  else installTelemetry({ ...metrics, runtime });
}

/** Starts server, bundle, worker and client: one of each for a test file. */
export async function startRig(options: RigOptions): Promise<Rig> {
  installRuntime(options.metrics);
  const {
    workflows,
    worker: workerOptions = {},
    dynamicConfig,
    namespaces,
    hasAttributes,
    ...plugged
  } = options;
  const server = await startTestServer({
    ...(dynamicConfig === undefined ? {} : { dynamicConfig }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(plugged.searchAttributes === true || hasAttributes
      ? { searchAttributes: registeredTypes() }
      : {}),
  });
  const own = plugged.ledger === undefined ? await openTestLedger() : undefined;
  const ledger = plugged.ledger ?? own?.ledger;
  const plugin = holdfast({ ...plugged, ledger });
  const bundle = await keptBundle({ workflows, policyModule: plugged.policyModule, plugin });
  const native = await NativeConnection.connect({ address: server.address });
  const connection = await Connection.connect({ address: server.address });
  const client = new Client({ connection, plugins: [plugin] });
  const taskQueue = `test-${randomUUID()}`;
  const running: RunningWorker[] = [];
  const startWorker = async (own: Partial<WorkerOptions> = {}): Promise<RunningWorker> => {
    const worker = await Worker.create({
      connection: native,
      taskQueue,
      workflowBundle: bundle,
      plugins: [plugin],
      ...workerOptions,
      ...own,
    });
    const ended = worker.run();
    ended.catch(() => {}); // stop() hears of it
    const one = {
      stop: async () => {
        if (worker.getState() === 'RUNNING') worker.shutdown();
        await ended;
      },
    };
    running.push(one);
    return one;
  };
  const worker = await startWorker();
  return {
    client,
    plugin,
    ledgerPath: own?.path ?? '',
    bundle,
    taskQueue,
    address: server.address,
    uiUrl: server.uiUrl,
    decisions: () => entries.filter(({ message }) => message === 'holdfast').map(toDecision),
    id: (name) => `${name}-${randomUUID()}`,
    startWorker,
    worker,
    async stop() {
      await Promise.all(running.map((one) => one.stop()));
      await connection.close();
      await native.close();
      await server.stop();
      await own?.remove();
    },
  };
}

function toDecision({ meta }: LogEntry): Decision {
  const { task, tool, downstream, attempt, decision, reason } = meta as unknown as Decision; // our own lines
  return { task, tool, downstream, attempt, decision, reason };
}
