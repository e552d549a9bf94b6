import type { CallRecord, UpstreamStats } from '../upstream/index.js';
import type { TicketEnd } from './ticket-end.js';

/** What one column came to. */
export type Totals = {
  readonly tickets: number;
  /** Tickets that got a reply, degraded ones included. */
  readonly answered: number;
  /** Answered tickets with a step that a fallback answered. */
  readonly degraded: number;
  /** `answered` over `tickets`, 4 decimals. */
  readonly success: number;
  /** Different calls that the upstream saw: one for each ticket and step that sent anything. */
  readonly logicalCalls: number;
  /** HTTP requests that the upstream got. */
  readonly requests: number;
  /** `requests` over `logicalCalls`, 4 decimals. */
  readonly retryAmplification: number;
  /** Requests beyond the one that answered each call: all of a call that never was answered. */
  readonly wastedCalls: number;
  /** Refunds paid and e-mails sent. */
  readonly effects: number;
  /** Effects beyond the first of the same logical call. */
  readonly doubledEffects: number;
  /** The duration that 95 % of the tickets don't exceed (nearest rank), failed ones included; milliseconds. */
  readonly p95Ms: number;
};

/** Returns the totals of a column from its workflows' ends and the upstream's counts. */
export function totalsOf(ends: readonly TicketEnd[], stats: UpstreamStats): Totals {
  const answered = ends.filter(({ outcome }) => outcome === 'answered');
  const { calls, totals } = stats;
  const answeredCalls = calls.filter(wasAnswered).length;
  return {
    tickets: ends.length,
    answered: answered.length,
    degraded: answered.filter(({ degraded }) => degraded.length > 0).length,
    success: ratio(answered.length, ends.length),
    logicalCalls: calls.length,
    requests: totals.requests,
    retryAmplification: ratio(totals.requests, calls.length),
    wastedCalls: totals.requests - answeredCalls,
    effects: totals.effects,
    doubledEffects: totals.doubledEffects,
    p95Ms: nearestRank(
      ends.map(({ durationMs }) => durationMs),
      0.95,
    ),
  };
}

/** Returns the refunds and e-mails that a ticket's calls caused. */
export function effectsOf(ticket: string, stats: UpstreamStats): number {
  return stats.calls
    .filter(({ id }) => id.startsWith(`${ticket}/`))
    .reduce((sum, { effects }) => sum + effects, 0);
}

/** That an order doesn't exist is an answer too. */
function wasAnswered({ statuses }: CallRecord): boolean {
  return statuses.some((status) => status.startsWith('2') || status === '404');
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Number((part / whole).toFixed(4));
}

function nearestRank(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
