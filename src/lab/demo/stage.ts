import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { holdfast } from '../../plugin.js';
import { findTemporalCli, startDevServer } from '../temporal-server.js';
import { type Agent, agentWorkflows } from './agent.js';
import { buildBundles } from './bundles.js';
import { type MeteredModel, startMeteredModel } from './metered-model.js';
import type { DemoOptions } from './options.js';
import { startProgram } from './programs.js';
import type { Screen } from './screen.js';
import { createUpstreamClient, type UpstreamClient } from './upstream-client.js';
import { startWorkerPair, type WorkerPair } from './worker-pair.js';

const plainWorkflows = fileURLToPath(new URL('./plain-workflows.js', import.meta.url));

/** Everything that the demo runs on. */
export type Stage = {
  readonly uiUrl: string;
  readonly client: Client;
  readonly upstream: UpstreamClient;
  readonly workers: Readonly<Record<'holdfast' | 'plain', WorkerPair | undefined>>;
  readonly meter: MeteredModel | undefined;
};

/** What stops the stage, in the order in which it came up. */
export type Cleanup = { readonly add: (stop: () => Promise<unknown>) => void };

/**
 * Starts server, upstream and workers. What has come up is handed to `cleanup`, whatever fails later.
 * @throws a HoldfastError whose message says what failed and what to try
 */
export async function setTheStage(input: {
  readonly options: DemoOptions;
  readonly agent: Agent;
  readonly screen: Screen;
  readonly cleanup: Cleanup;
  readonly signal: AbortSignal;
}): Promise<Stage> {
  const { options, agent, screen, cleanup, signal } = input;
  const { ports, model, seed } = options;
  screen.status('Starting the Temporal server ...');
  const cli = await findTemporalCli({ log: screen.say, signal });
  const server = await startDevServer({
    cli,
    log: screen.say,
    signal,
    ...(ports.server === undefined ? { preferDefaultPorts: true } : { port: ports.server }),
    ...(ports.ui === undefined ? {} : { uiPort: ports.ui }),
  });
  cleanup.add(server.stop);
  const upstream = await startUpstream({ port: ports.upstream ?? 0, seed, signal, cleanup });
  screen.say(`Faulty shop and model at ${upstream.url}, seed ${seed}`);
  const meter = model === undefined ? undefined : await startMeteredModel(model);
  if (meter !== undefined && model !== undefined) {
    cleanup.add(meter.stop);
    screen.say(
      `Real model ${model.name} at ${model.baseUrl}: at most ${model.maxCalls} calls and ${model.maxTokens} tokens`,
    );
  }
  screen.status('Building the workflows and starting the workers ...');
  const bundles = await buildBundles({ holdfast: agentWorkflows, plain: plainWorkflows });
  cleanup.add(bundles.remove);
  const start = async (kind: 'holdfast' | 'plain'): Promise<WorkerPair> => {
    const env = {
      KIND: kind,
      BUNDLE: bundles[kind],
      LEDGER_FILE: bundles.ledger,
      TEMPORAL_ADDRESS: server.address,
      UPSTREAM_URL: upstream.url,
      MODEL_URL: meter?.url ?? `${upstream.url}/v1`,
      MODEL_NAME: model?.name ?? 'lab',
    };
    const pair = await startWorkerPair({ env, signal });
    cleanup.add(pair.stop);
    return pair;
  };
  const [governed, plain] = await Promise.all([
    start('holdfast'),
    model === undefined ? start('plain') : undefined,
  ]);
  // never closed: a call that waits to be sent again would then throw outside of any promise
  const connection = await Connection.connect({ address: server.address });
  const client = new Client({ connection, plugins: [holdfast({ tools: agent.tools })] });
  return { uiUrl: server.uiUrl, client, upstream, meter, workers: { holdfast: governed, plain } };
}

async function startUpstream(input: {
  readonly port: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly cleanup: Cleanup;
}): Promise<UpstreamClient> {
  const { port, seed, signal, cleanup } = input;
  const module = fileURLToPath(new URL('../upstream/main.js', import.meta.url));
  const program = await startProgram({
    name: 'The upstream',
    args: [module, '--port', String(port), '--seed', String(seed)],
    readyMark: 'listens on',
    signal,
  });
  cleanup.add(program.stop);
  return createUpstreamClient(program.readyLine.split(' ').at(-1) ?? '');
}
