import { loadAgent, type Ticket } from './agent.js';
import { createColumns } from './columns.js';
import { ModelUselessError } from './demo-errors.js';
import { script } from './faults.js';
import type { DemoOptions } from './options.js';
import { planTicket, renderPlan } from './plan-report.js';
import {
  type DemoReport,
  linksInto,
  renderTickets,
  renderTotals,
  reportColumn,
  totalsKey,
} from './report.js';
import { type ColumnResult, runColumn } from './run-column.js';
import type { Screen } from './screen.js';
import { type Cleanup, setTheStage } from './stage.js';

/** What a demo gave, and where its UI is. */
export type Demo = { readonly report: DemoReport; readonly uiUrl: string };

/**
 * Runs the demo from its plan to its links and shows it on the screen.
 * @throws a HoldfastError whose message says what failed and what to try
 */
export async function runDemo(input: {
  readonly options: DemoOptions;
  readonly tickets: readonly Ticket[];
  readonly screen: Screen;
  readonly cleanup: Cleanup;
  readonly signal: AbortSignal;
}): Promise<Demo> {
  const { options, screen, signal } = input;
  const tickets = input.tickets.slice(0, options.tickets);
  const [first] = tickets;
  if (first === undefined) throw new Error('there are no tickets'); // options allow at least one
  const agent = await loadAgent();
  const stage = await setTheStage({ ...input, agent });
  const plan = planTicket(agent, first);
  screen.say(`\n${renderPlan(plan)}`);
  screen.say(`\n${tickets.length} tickets, each with ${script.deadlineMs / 1000} s`);

  const results: ColumnResult[] = [];
  for (const column of createColumns(agent)) {
    const workers = stage.workers[column.workers];
    if (workers === undefined) continue;
    signal.throwIfAborted();
    const ownModel = options.model === undefined;
    results.push(await runColumn(column, { ...stage, workers, tickets, screen, signal, ownModel }));
  }
  const governed = results.find(({ column }) => column.id === 'holdfast');
  if (governed === undefined) throw new Error('holdfast was not among the columns'); // createColumns ends with it
  const report: DemoReport = {
    seed: options.seed,
    model: options.model?.name ?? 'lab',
    deadlineMs: script.deadlineMs,
    plan,
    columns: results.map(reportColumn),
    links: linksInto(stage.uiUrl, governed),
    meter: stage.meter?.read() ?? null,
  };
  show(report, screen);
  const { meter } = report;
  if (options.model !== undefined && meter !== null && meter.calls > 0 && meter.answered === 0) {
    throw new ModelUselessError(options.model.baseUrl, meter.lastFailure ?? 'no reason known');
  }
  return { report, uiUrl: stage.uiUrl };
}

function show({ columns, links, meter, seed }: DemoReport, { say }: Screen): void {
  const governed = columns.at(-1);
  if (governed !== undefined) say(`\nTickets with holdfast\n${renderTickets(governed)}`);
  say(`\nTotals under the same faults (seed ${seed})\n${renderTotals(columns)}\n${totalsKey}`);
  if (meter !== null) {
    say(`\nThe real model: ${meter.calls} calls, ${meter.tokens} tokens, ${meter.refused} refused`);
  }
  say('\nIn the Temporal UI:');
  const found = [
    { name: 'a ticket with retries', url: links.retried },
    { name: 'a degraded ticket', url: links.degraded },
    { name: 'the slowest ticket', url: links.slowest },
  ].filter(({ url }) => url !== null);
  for (const { name, url } of found.slice(0, 2)) say(`  ${name.padEnd(21)}  ${url}`);
  say(`  all tickets            ${links.list}`);
}
