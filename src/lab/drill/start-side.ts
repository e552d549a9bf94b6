import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Bundles } from '../demo/bundles.js';
import { startProgram } from '../demo/programs.js';
import { createUpstreamClient, type UpstreamClient } from '../demo/upstream-client.js';
import { freePort } from '../free-port.js';
import type { DrillPlan } from './drill-plan.js';
import type { SideId } from './drill-records.js';
import { type FaultControl, networkFaults, upstreamFaults } from './fault-control.js';
import { createToxicProxy } from './toxiproxy-client.js';

/** One side's downstream and worker, each a process of its own. */
export type Side = {
  readonly id: SideId;
  readonly taskQueue: string;
  readonly upstream: UpstreamClient;
  readonly faults: FaultControl;
  readonly metricsUrl: string;
};

/** What a side is started with. */
export type SideOptions = {
  readonly id: SideId;
  readonly plan: DrillPlan;
  readonly server: { readonly address: string; readonly namespace: string };
  readonly bundles: Bundles;
  /** The API of a running Toxiproxy, where the plan has network faults. */
  readonly toxiproxyUrl: string | undefined;
  readonly signal: AbortSignal;
  /** Takes what stops the programs, as they come up. */
  readonly onStarted: (stop: () => Promise<void>) => void;
};

const labels = new URL('../demo/label-calls.js', import.meta.url).href;
const upstreamModule = fileURLToPath(new URL('../upstream/main.js', import.meta.url));
const workerModule = fileURLToPath(new URL('./worker-process.js', import.meta.url));

/**
 * Starts the downstream and the worker of one side.
 * @throws ProgramStartError where one of them isn't there in time
 */
export async function startSide(options: SideOptions): Promise<Side> {
  const { id, plan, server, bundles, toxiproxyUrl, signal, onStarted } = options;
  const downstream = await startProgram({
    name: 'The upstream',
    args: [
      ...[upstreamModule, '--port', '0', '--seed', String(plan.seed)],
      ...(toxiproxyUrl === undefined ? [] : ['--one-request-each']),
    ],
    readyMark: 'listens on',
    signal,
  });
  onStarted(downstream.stop);
  const upstream = createUpstreamClient(downstream.readyLine.split(' ').at(-1) ?? '');
  const proxy =
    toxiproxyUrl === undefined
      ? undefined
      : await createToxicProxy(toxiproxyUrl, { name: id, target: new URL(upstream.url).host });
  const taskQueue = `drill-${id}-${randomUUID()}`;
  const metrics = `127.0.0.1:${await freePort()}`;
  const worker = await startProgram({
    name: `The worker of ${id}`,
    args: [`--import=${labels}`, workerModule],
    env: {
      KIND: id,
      BUNDLE: bundles[id],
      LEDGER_FILE: bundles.ledger,
      TASK_QUEUE: taskQueue,
      TEMPORAL_ADDRESS: server.address,
      NAMESPACE: server.namespace,
      UPSTREAM_URL: proxy === undefined ? upstream.url : `http://${proxy.address}`,
      METRICS: metrics,
    },
    readyMark: 'worker is ready',
    signal,
  });
  onStarted(worker.stop);
  return {
    id,
    taskQueue,
    upstream,
    faults: proxy === undefined ? upstreamFaults(upstream) : networkFaults(proxy),
    metricsUrl: `http://${metrics}/metrics`,
  };
}
