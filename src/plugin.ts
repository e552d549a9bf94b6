import { fileURLToPath } from 'node:url';
import type { ClientOptions, ClientPlugin } from '@temporalio/client';
import type {
  BundleOptions,
  BundlerPlugin,
  ReplayWorkerOptions,
  Worker,
  WorkerOptions,
  WorkerPlugin,
} from '@temporalio/worker';
import { checkClientOptions, type HoldfastClientOptions, withClientInterceptor } from './client.js';
import { createRetryBudget } from './limits/create-retry-budget.js';
import { createMemoryLimiter } from './limits/memory-limiter.js';
import type { Tracing } from './telemetry/tracing.js';
import {
  checkBundle,
  type HoldfastWorkerOptions,
  sweepWhile,
  sweptStores,
  withSink,
  workerOptions,
} from './worker.js';

/** Options of the plugin: each place takes what it needs. */
export type HoldfastOptions = HoldfastWorkerOptions & HoldfastClientOptions;

/** What a module exports as `worker` for `holdfast worker <module>`: itself, or a function that makes it. */
export type WorkerConfig = HoldfastOptions & {
  /** The module of the workflows: a path, or a URL such as `new URL('./workflows.js', import.meta.url)`. */
  readonly workflowsPath: string | URL;
  /** @default the command's `--task-queue` */
  readonly taskQueue?: string | undefined;
  /** Other options of Temporal's worker, such as `activities` and `maxConcurrentActivityTaskExecutions`. */
  readonly workerOptions?: Partial<WorkerOptions> | undefined;
  /** Called when the worker has ended: closes what the module has opened. */
  readonly close?: (() => Promise<void>) | undefined;
};

/** The plugin of worker, client, bundler and replay. */
export type HoldfastPlugin = Required<ClientPlugin> &
  Required<BundlerPlugin> &
  Required<Pick<WorkerPlugin, 'configureWorker' | 'configureReplayWorker' | 'runWorker'>>;

type PluggedClient = Omit<ClientOptions, 'plugins'>;

const NAME = 'holdfast';
const gateModule = ownFile('./workflows/interceptors.js');
/**
 * Evaluated once per worker thread: modules that hold no state of a run. zod isn't among them, since the
 * SDK freezes what runs share and zod writes to its own patterns.
 */
const sharedModules = [gateModule, ownFile('./adoption.js')];

/**
 * Makes the plugin: `plugins: [holdfast({ implementations })]` at the worker, `[holdfast({ tools })]` at
 * the client, the same object at `bundleWorkflowCode` and at replay.
 * @throws InvalidRequestError, at once, for a `policy` with faults
 * @throws InvalidRequestError, at worker start, for two activities of one name or a faulty policy module
 * @throws LedgerMissingError, at worker start, for writes without a ledger
 */
export function holdfast(options: HoldfastOptions = {}): HoldfastPlugin {
  const { implementations, policyModule, ledger, conversations, tracing } = options;
  const { limiter = createMemoryLimiter(), retryBudget = createRetryBudget() } = options;
  const tools = options.tools ?? implementations?.map(({ tool }) => tool);
  const clientOptions = checkClientOptions({ ...options, tools });
  return {
    name: NAME,
    configureClient: (client) => withClientInterceptor(traceClient(client, tracing), clientOptions),
    configureWorker: (worker: WorkerOptions) =>
      workerOptions(traceWorker(worker, tracing), { ...options, limiter, retryBudget }),
    runWorker: (worker: Worker, next: (worker: Worker) => Promise<void>) =>
      sweepWhile(sweptStores({ ledger, conversations }), () => next(worker)),
    configureBundler: (bundle: BundleOptions) => withGate(bundle, policyModule, tracing),
    async configureReplayWorker(replay: ReplayWorkerOptions) {
      await checkBundle(replay.workflowBundle);
      const sinks = { ...tracing?.sinks, ...replay.sinks };
      return withSink({ ...replay, sinks });
    },
  };
}

function withGate(
  bundle: BundleOptions,
  policyModule: string | undefined,
  tracing: Tracing | undefined,
): BundleOptions {
  const outer = tracing === undefined ? [] : [tracing.workflowModule];
  const own = policyModule === undefined ? [gateModule] : [policyModule, gateModule];
  const others = (bundle.workflowInterceptorModules ?? []).filter(
    (path) => !own.includes(path) && !outer.includes(path),
  );
  // The gate comes last, and so stands nearest to Temporal: what it schedules nobody changes.
  return {
    ...bundle,
    workflowInterceptorModules: [...outer, ...others, ...own],
    preloadModules: [...new Set([...(bundle.preloadModules ?? []), ...sharedModules])],
  };
}

/** The span of a start holds whatever else happens in it: it stands outside. Given twice, it is added once. */
function traceClient(client: PluggedClient, tracing: Tracing | undefined): PluggedClient {
  if (tracing === undefined) return client;
  const added = tracing.client;
  const present = client.interceptors?.workflow ?? [];
  if (Array.isArray(present) && present.includes(added)) return client;
  const workflow = Array.isArray(present)
    ? [added, ...present]
    : { calls: [() => added, ...(present.calls ?? [])] };
  return { ...client, interceptors: { ...client.interceptors, workflow } };
}

function traceWorker(worker: WorkerOptions, tracing: Tracing | undefined): WorkerOptions {
  if (tracing === undefined) return worker;
  const present = worker.interceptors?.activity ?? [];
  const activity = present.includes(tracing.activity) ? present : [tracing.activity, ...present];
  return {
    ...worker,
    interceptors: { ...worker.interceptors, activity },
    sinks: { ...tracing.sinks, ...worker.sinks },
  };
}

function ownFile(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
