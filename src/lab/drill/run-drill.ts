import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { holdfast } from '../../plugin.js';
import { buildBundles } from '../demo/bundles.js';
import { findTemporalCli, startDevServer } from '../temporal-server.js';
import { type DrillPlan, phaseAt, ticketCount } from './drill-plan.js';
import { type SideRecords, sideIds } from './drill-records.js';
import { type DrillResult, drillResult } from './drill-result.js';
import { runSide, type SideProgress } from './run-side.js';
import { startSide } from './start-side.js';
import { findToxiproxy, startToxiproxy } from './toxiproxy-process.js';

/** What a drill is run with. */
export type DrillOptions = {
  readonly plan: DrillPlan;
  /** A running server, in place of a development server of the drill's own. */
  readonly server?: { readonly address: string; readonly namespace: string };
  /** Gets a line each time that something goes on. */
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
};

const sandbox = (name: string): string =>
  fileURLToPath(new URL(`./sandbox/${name}-workflows.js`, import.meta.url));

/**
 * Runs both sides at the same time, each with a downstream and a worker of its own, on one Temporal server.
 * @throws a HoldfastError whose message says what could not be started and what to try
 */
export async function runDrill(options: DrillOptions): Promise<DrillResult> {
  const stops: (() => Promise<unknown>)[] = [];
  try {
    return await drill(options, (stop) => void stops.push(stop));
  } finally {
    for (const stop of stops.reverse()) await stop().catch(() => {}); // what is gone needs no stop
  }
}

async function drill(
  options: DrillOptions,
  onStarted: (stop: () => Promise<unknown>) => void,
): Promise<DrillResult> {
  const { plan, onProgress, signal } = options;
  onProgress('Starting server, downstreams and workers …');
  const toxiproxyUrl = plan.networkFaults ? await toxiproxy(options, onStarted) : undefined;
  const server = options.server ?? (await ownServer(options, onStarted));
  const bundles = await buildBundles({
    holdfast: sandbox('governed'),
    plain: sandbox('plain'),
  });
  onStarted(bundles.remove);
  const sides = await Promise.all(
    sideIds.map((id) => startSide({ id, plan, server, bundles, toxiproxyUrl, signal, onStarted })),
  );
  const connection = await Connection.connect({ address: server.address });
  onStarted(() => connection.close());
  const { namespace } = server;
  const clients = {
    holdfast: new Client({ connection, namespace, plugins: [holdfast()] }),
    plain: new Client({ connection, namespace }),
  };
  const drillId = randomUUID().slice(0, 8);
  const stopShowing = showProgress(plan, onProgress);
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  try {
    const runs = sides.map(async (side): Promise<SideRecords> => {
      const seen = (progress: SideProgress): void => stopShowing.seen(side.id, progress);
      const client = clients[side.id];
      return runSide(side, { plan, client, drillId, signal: either, onProgress: seen });
    });
    return drillResult(plan, await Promise.all(runs));
  } catch (error) {
    failed.abort(error); // the other side ends with it
    throw error;
  } finally {
    stopShowing.stop();
  }
}

async function toxiproxy(
  { plan, onProgress, signal }: DrillOptions,
  onStarted: (stop: () => Promise<unknown>) => void,
): Promise<string> {
  const path = await findToxiproxy({ log: onProgress, signal });
  const { apiUrl, stop } = await startToxiproxy({ path, seed: plan.seed, signal });
  onStarted(stop);
  return apiUrl;
}

// the default of 20 polls a second makes 50 ms of each dispatch
const dynamicConfig = { 'history.transferProcessorMaxPollRPS': '2000' };

async function ownServer(
  { onProgress, signal }: DrillOptions,
  onStarted: (stop: () => Promise<unknown>) => void,
): Promise<{ readonly address: string; readonly namespace: string }> {
  const cli = await findTemporalCli({ log: onProgress, signal });
  const { address, stop } = await startDevServer({ cli, log: () => {}, signal, dynamicConfig });
  onStarted(stop);
  return { address, namespace: 'default' };
}

const showEveryMs = 1_000;

function showProgress(
  plan: DrillPlan,
  onProgress: (line: string) => void,
): { readonly seen: (id: string, progress: SideProgress) => void; readonly stop: () => void } {
  const startedAt = performance.now();
  const sides = new Map<string, SideProgress>();
  const timer = setInterval(() => {
    const atMs = performance.now() - startedAt;
    const each = [...sides].map(([id, { ended }]) => `${id} ${ended}`).join(', ');
    const seconds = (atMs / 1_000).toFixed(0);
    onProgress(
      `${seconds} s, ${phaseAt(plan, atMs)}: tickets ended of ${ticketCount(plan)}: ${each}`,
    );
  }, showEveryMs);
  return {
    seen: (id, progress) => void sides.set(id, progress),
    stop: () => clearInterval(timer),
  };
}
