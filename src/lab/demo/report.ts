import type { MeterReading } from './metered-model.js';
import type { PlanReport } from './plan-report.js';
import type { ColumnResult } from './run-column.js';
import { renderTable } from './table.js';
import type { TicketEnd } from './ticket-end.js';
import { effectsOf, type Totals } from './totals.js';

/** The result as --json prints it. */
export type DemoReport = {
  readonly seed: number;
  readonly model: string;
  readonly deadlineMs: number;
  readonly plan: PlanReport;
  readonly columns: readonly {
    readonly id: string;
    readonly title: string;
    readonly totals: Totals;
    readonly upstream: ColumnResult['stats']['totals'];
    readonly tickets: readonly (TicketEnd & { readonly effects: number })[];
  }[];
  readonly links: Links;
  /** What a real model was asked and used; null for the lab's. */
  readonly meter: MeterReading | null;
};

/** Places in the Temporal UI; null where no ticket is of that kind. */
export type Links = {
  /** The ticket with the most retries. */
  readonly retried: string | null;
  /** Another one than `retried` where there is one. */
  readonly degraded: string | null;
  readonly slowest: string | null;
  readonly list: string;
};

/** Returns a column as --json prints it. */
export function reportColumn(result: ColumnResult): DemoReport['columns'][number] {
  const { column, ends, stats, totals } = result;
  return {
    id: column.id,
    title: column.title,
    totals,
    upstream: stats.totals,
    tickets: ends.map((end) => ({ ...end, effects: effectsOf(end.ticket, stats) })),
  };
}

/** Returns the tickets of one column as text. */
export function renderTickets({ tickets }: DemoReport['columns'][number]): string {
  const number = (value: number | null): string => (value === null ? '-' : String(value));
  return renderTable(
    ['ticket', 'outcome', 'attempts', 'retries', 'effects', 'seconds', 'answered by fallback'],
    tickets.map((end) => [
      end.ticket,
      end.outcome === 'failed' ? 'failed' : end.degraded.length > 0 ? 'degraded' : 'ok',
      number(end.attempts),
      number(end.retries),
      String(end.effects),
      (end.durationMs / 1000).toFixed(1),
      end.degraded.join(' '),
    ]),
  );
}

/** Returns the totals of all columns side by side. */
export function renderTotals(columns: DemoReport['columns']): string {
  const row = (name: string, read: (totals: Totals) => string): string[] => [
    name,
    ...columns.map(({ totals }) => read(totals)),
  ];
  const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(0)} %`;
  return renderTable(
    ['', ...columns.map(({ title }) => title)],
    [
      row('success', ({ answered, tickets }) => share(answered, tickets)),
      row('  of it degraded', ({ degraded, tickets }) => share(degraded, tickets)),
      row('retry amplification', ({ retryAmplification }) => retryAmplification.toFixed(2)),
      row('wasted calls', ({ wastedCalls }) => String(wastedCalls)),
      row('doubled effects', ({ doubledEffects }) => String(doubledEffects)),
      row('p95 seconds', ({ p95Ms }) => (p95Ms / 1000).toFixed(1)),
      row('requests', ({ requests }) => String(requests)),
    ],
  );
}

/** Says what the rows of the totals mean. */
export const totalsKey = `  success: tickets that got a reply in time; degraded: with a step answered by a fallback
  retry amplification: requests at the upstream for each call (a ticket's step)
  wasted calls: requests beyond the one that answered each call
  doubled effects: refunds paid or e-mails sent again for the same step`;

/** Finds what is worth a look in the UI: the most retried ticket, one with a fallback's answer, the slowest. */
export function linksInto(uiUrl: string, { ends, column }: ColumnResult): Links {
  const workflows = `${uiUrl}/namespaces/default/workflows`;
  const link = (end: TicketEnd | undefined): string | null =>
    end === undefined
      ? null
      : `${workflows}/${encodeURIComponent(end.workflowId)}/${end.runId}/history`;
  const [most] = ends.toSorted((a, b) => (b.retries ?? 0) - (a.retries ?? 0));
  const [slowest] = ends.toSorted((a, b) => b.durationMs - a.durationMs);
  const degraded = ends.filter((end) => end.outcome === 'answered' && end.degraded.length > 0);
  const query = encodeURIComponent(`WorkflowType="${column.workflowType}"`);
  return {
    retried: link((most?.retries ?? 0) > 0 ? most : undefined),
    degraded: link(degraded.find((end) => end !== most) ?? degraded[0]),
    slowest: link(slowest),
    list: `${workflows}?query=${query}`,
  };
}
