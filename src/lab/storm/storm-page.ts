import type { Page, PageTable } from '../../pages/page.js';
import type { Recovery } from './recovery.js';
import { outageOf, type Scenario } from './scenario.js';
import type { Storm, StormRun } from './storm.js';
import { stormCharts } from './storm-charts.js';
import { strategies } from './strategies/named.js';

/** Returns a storm as a page: a table, plots, and what was simulated. */
export function stormPage(storm: Storm, command: string): Page {
  const { scenario, runs } = storm;
  return {
    title: 'A storm of retries, simulated',
    lead: leadOf(runs),
    command,
    sections: [
      {
        title: 'What each strategy came to',
        blocks: [{ kind: 'table', table: tableOf(runs) }],
      },
      {
        title: 'Plots',
        blocks: stormCharts(storm).map((chart) => ({ kind: 'chart', chart })),
      },
      {
        title: 'What was simulated',
        blocks: [
          { kind: 'text', text: scenarioText(scenario) },
          {
            kind: 'table',
            table: {
              caption: 'The strategies',
              columns: [{ title: 'strategy' }, { title: 'what it does' }],
              rows: runs.map(({ strategy }) => [strategy, strategies[strategy].text]),
            },
          },
        ],
      },
    ],
  };
}

/** Returns what is simulated in sentences. */
export function scenarioText(scenario: Scenario): string {
  const { clients, callsPerSecond, surge, seconds, queue, timeoutMs, seed } = scenario;
  const outage = outageOf(scenario);
  const also =
    surge.calls > 0 ? `, and ${surge.calls} more at once every ${surge.everySeconds} s` : '';
  const slump =
    outage === undefined
      ? ''
      : ` From second ${outage.from} to ${outage.to} it has ${percent(scenario.outage.capacityShare)} of its capacity.`;
  return (
    `${clients} clients make ${callsPerSecond} calls a second${also}, for ${seconds} s. ` +
    `The downstream answers ${scenario.capacityPerSecond} a second at most, ${percent(scenario.failureShare)} of them with a failure; ` +
    `${queue} attempts may wait, further ones are refused, which costs it ${percent(scenario.refusalShare)} of the work of an answer.${slump} ` +
    `Clients give an attempt up after ${timeoutMs} ms, and a call after ${scenario.attempts} attempts where the strategy has no bound of its own. Seed ${seed}.`
  );
}

/** Returns what came of the time after the outage in words. */
export function recoveryText(recovery: Recovery): string {
  switch (recovery.kind) {
    case 'no-outage':
      return '-';
    case 'recovered':
      return `${recovery.afterSeconds} s`;
    case 'collapsed':
      return 'never';
    case 'too-short':
      return 'unknown';
  }
}

function leadOf(runs: readonly StormRun[]): string {
  const sorted = runs.toSorted((one, other) => one.totals.errorShare - other.totals.errorShare);
  const [best] = sorted;
  const worst = sorted.at(-1);
  if (best === undefined || worst === undefined || best === worst) {
    return 'What clients that retry do to a downstream, by a simulation that runs the code of holdfast’s budgets.';
  }
  return (
    `Of the same calls ${percent(worst.totals.errorShare)} had no answer with ${worst.strategy} and ` +
    `${percent(best.totals.errorShare)} with ${best.strategy}; 99 % ended within ${Math.round(worst.totals.p99Ms)} ms ` +
    `and ${Math.round(best.totals.p99Ms)} ms. The simulation runs the code of holdfast’s budgets.`
  );
}

function tableOf(runs: readonly StormRun[]): PageTable {
  return {
    caption:
      'Each strategy met the same calls. Times are of all calls, until their answer or their error.',
    columns: [
      { title: 'strategy' },
      { title: 'errors', isNumber: true },
      { title: 'p50, ms', isNumber: true },
      { title: 'p99, ms', isNumber: true },
      { title: 'attempts a call', isNumber: true },
      { title: 'peak attempts a second', isNumber: true },
      { title: 'stopped by a breaker', isNumber: true },
      { title: 'recovers after', isNumber: true },
    ],
    rows: runs.map(({ strategy, totals, recovery, peakPerSecond }) => [
      strategy,
      percent(totals.errorShare),
      totals.p50Ms.toFixed(0),
      totals.p99Ms.toFixed(0),
      totals.amplification.toFixed(2),
      String(peakPerSecond),
      String(totals.errors.rejected),
      recovery.kind === 'collapsed'
        ? { text: recoveryText(recovery), tone: 'bad' }
        : recoveryText(recovery),
    ]),
  };
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}
