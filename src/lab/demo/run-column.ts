import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { UpstreamStats } from '../upstream/index.js';
import type { Ticket } from './agent.js';
import type { Column } from './columns.js';
import { modelOutage, script, steadyFaults } from './faults.js';
import type { Screen } from './screen.js';
import { readTicketEnd, type TicketEnd } from './ticket-end.js';
import { type Totals, totalsOf } from './totals.js';
import type { UpstreamClient } from './upstream-client.js';
import type { WorkerPair } from './worker-pair.js';

/** What a column's run yields. */
export type ColumnResult = {
  readonly column: Column;
  readonly ends: readonly TicketEnd[];
  readonly stats: UpstreamStats;
  readonly totals: Totals;
};

/** What a column runs on. */
export type ColumnStage = {
  readonly tickets: readonly Ticket[];
  readonly client: Client;
  readonly upstream: UpstreamClient;
  readonly workers: WorkerPair;
  readonly screen: Screen;
  readonly signal: AbortSignal;
  /** Whether the lab's own model answers, which can be taken down. */
  readonly ownModel: boolean;
};

const showEveryMs = 500;

/**
 * Runs all tickets in one column: they arrive one after another while the script of faults.ts takes
 * its course. Counts at the upstream begin at zero.
 */
export async function runColumn(column: Column, stage: ColumnStage): Promise<ColumnResult> {
  const { tickets, upstream, screen, signal } = stage;
  await upstream.setFaults(steadyFaults);
  await upstream.reset();
  screen.say(`\n${column.title}`);
  const ends: TicketEnd[] = [];
  const over = new AbortController();
  const scenes = playScript(column, stage, AbortSignal.any([signal, over.signal]));
  const showing = showProgress(column, stage, { ends, signal: over.signal });
  try {
    await Promise.all(tickets.map((ticket, index) => work(column, stage, { ticket, index, ends })));
  } finally {
    over.abort();
    await Promise.all([scenes, showing]);
  }
  await upstream.setFaults(steadyFaults);
  const stats = await upstream.stats();
  const sorted = ends.toSorted((a, b) => a.ticket.localeCompare(b.ticket));
  const totals = totalsOf(sorted, stats);
  screen.say(
    `  ${totals.answered} of ${totals.tickets} tickets answered, ${totals.degraded} of them degraded; ` +
      `${totals.requests} requests for ${totals.logicalCalls} calls`,
  );
  return { column, ends: sorted, stats, totals };
}

async function work(
  column: Column,
  { client, screen, signal }: ColumnStage,
  {
    ticket,
    index,
    ends,
  }: { readonly ticket: Ticket; readonly index: number; readonly ends: TicketEnd[] },
): Promise<void> {
  await sleep(index * script.arrivalMs, undefined, { signal });
  const handle = await client.workflow.start(column.workflowType, column.startOptions(ticket));
  const end = await readTicketEnd(client, {
    ticket: ticket.id,
    handle,
    deadlineMs: script.deadlineMs,
  });
  ends.push(end);
  if (column.id === 'holdfast') screen.say(`  ${describe(end)}`);
}

function describe({ ticket, outcome, retries, degraded, durationMs, reason }: TicketEnd): string {
  const parts = [
    `${outcome} in ${(durationMs / 1000).toFixed(1)} s`,
    ...(retries ? [`${retries} ${retries === 1 ? 'retry' : 'retries'}`] : []),
    ...(degraded.length > 0 ? [`by fallback: ${degraded.join(', ')}`] : []),
    ...(reason === undefined ? [] : [reason.slice(0, 120)]),
  ];
  return `${ticket}  ${parts.join('; ')}`;
}

/** Kills a worker and takes the lab's model down and up again, at the same moments in every column. */
async function playScript(
  column: Column,
  { upstream, workers, screen, ownModel }: ColumnStage,
  signal: AbortSignal,
): Promise<void> {
  const at = async (ms: number, act: () => Promise<void>): Promise<void> => {
    await sleep(ms, undefined, { signal });
    await act();
  };
  const outage = (): Promise<void>[] => [
    at(script.outageFromMs, async () => {
      await upstream.setFaults(modelOutage);
      if (column.id === 'holdfast') screen.say('  ! the model answers 503 from here on');
    }),
    at(script.outageUntilMs, async () => {
      await upstream.setFaults(steadyFaults);
      if (column.id === 'holdfast') screen.say('  ! the model is back');
    }),
  ];
  const scenes = [
    at(script.killAtMs, async () => {
      const pid = workers.killOne();
      screen.say(`  ! worker ${pid} killed with SIGKILL, another one is starting`);
    }),
    ...(ownModel ? outage() : []),
  ];
  for (const scene of await Promise.allSettled(scenes)) {
    if (scene.status === 'rejected' && !signal.aborted) throw scene.reason;
  }
}

async function showProgress(
  column: Column,
  { tickets, upstream, screen }: ColumnStage,
  { ends, signal }: { readonly ends: readonly TicketEnd[]; readonly signal: AbortSignal },
): Promise<void> {
  while (screen.isLive && !signal.aborted) {
    // The upstream may be gone already when the demo is stopped.
    const { totals } = (await upstream.stats().catch(() => undefined)) ?? {};
    if (totals === undefined) break;
    const failed = ends.filter(({ outcome }) => outcome === 'failed').length;
    screen.status(
      `  ${column.title}: ${ends.length} of ${tickets.length} tickets ended, ${failed} failed; ` +
        `${totals.requests} requests`,
    );
    await sleep(showEveryMs, undefined, { signal }).catch(() => {}); // the column is over
  }
  screen.status('');
}
