import { fileURLToPath } from 'node:url';
import type { ClientOptions, ClientPlugin, WorkflowClientInterceptor } from '@temporalio/client';
import type {
  BundleOptions,
  BundlerPlugin,
  ReplayWorkerOptions,
  WorkerOptions,
  WorkerPlugin,
} from '@temporalio/worker';
import { clientInterceptor, type HoldfastClientOptions } from './client.js';
import { checkBundle, type HoldfastWorkerOptions, withSink, workerOptions } from './worker.js';

/** Options of the plugin: each place takes what it needs. */
export type HoldfastOptions = HoldfastWorkerOptions &
  HoldfastClientOptions & {
    /**
     * Evaluates zod once per worker thread rather than in every run, which is most of what tools cost.
     * Say false where workflow code calls `z.config`: the SDK freezes what runs share.
     * @default true
     */
    readonly shareZod?: boolean | undefined;
  };

/** The plugin of worker, client, bundler and replay. */
export type HoldfastPlugin = Required<ClientPlugin> &
  Required<BundlerPlugin> &
  Required<Pick<WorkerPlugin, 'configureWorker' | 'configureReplayWorker'>>;

const NAME = 'holdfast';
const gateModule = ownFile('./workflows/interceptors.js');
/** Modules that hold no state of a run; with them comes what they import. The second brings zod. */
const sharedModules = [gateModule, ownFile('./workflow.js'), ownFile('./contract/index.js')];

/**
 * Makes the plugin: `plugins: [holdfast({ implementations })]` at the worker, `[holdfast({ tools })]` at
 * the client, the same object at `bundleWorkflowCode` and at replay.
 * @throws InvalidRequestError, at worker start, for two activities of one name or a faulty policy module
 */
export function holdfast(options: HoldfastOptions = {}): HoldfastPlugin {
  const { implementations, policyModule, taskTypes, tenant, shareZod = true } = options;
  const tools = options.tools ?? implementations?.map(({ tool }) => tool);
  const own = clientInterceptor({ tools, taskTypes, tenant });
  return {
    name: NAME,
    configureClient: (client) => withClientInterceptor(client, own),
    configureWorker: (worker: WorkerOptions) =>
      workerOptions(worker, { implementations, policyModule }),
    configureBundler: (bundle: BundleOptions) => withGate(bundle, { policyModule, shareZod }),
    async configureReplayWorker(replay: ReplayWorkerOptions) {
      await checkBundle(replay.workflowBundle);
      return withSink(replay);
    },
  };
}

function withGate(
  bundle: BundleOptions,
  options: { readonly policyModule: string | undefined; readonly shareZod: boolean },
): BundleOptions {
  const { policyModule, shareZod } = options;
  const own = policyModule === undefined ? [gateModule] : [policyModule, gateModule];
  const others = (bundle.workflowInterceptorModules ?? []).filter((path) => !own.includes(path));
  // The gate comes last, and so stands nearest to Temporal: what it schedules nobody changes.
  return {
    ...bundle,
    workflowInterceptorModules: [...others, ...own],
    preloadModules: [
      ...(bundle.preloadModules ?? []),
      ...(shareZod ? sharedModules : [gateModule]),
    ],
  };
}

function ownFile(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

function withClientInterceptor(
  client: Omit<ClientOptions, 'plugins'>,
  own: WorkflowClientInterceptor,
): Omit<ClientOptions, 'plugins'> {
  const present = client.interceptors?.workflow ?? [];
  if (Array.isArray(present) && present.includes(own)) return client;
  const workflow = Array.isArray(present)
    ? [...present, own]
    : { calls: [...(present.calls ?? []), () => own] };
  return { ...client, interceptors: { ...client.interceptors, workflow } };
}
