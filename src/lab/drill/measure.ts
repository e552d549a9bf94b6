import { type DrillPlan, drillFacts, phaseAt, wholeMs } from './drill-plan.js';
import type { DrillRequest, SideRecords, TicketEnd, TicketRecord } from './drill-records.js';

/** What happened in one second of the drill. */
export type SecondFigures = {
  readonly second: number;
  /** Requests that arrived at the downstream. */
  readonly calls: number;
  /** Those of them that were not the first of their call. */
  readonly retries: number;
  /** The most requests that the downstream held at once. */
  readonly inFlight: number;
  /** Tickets by their end, in the second in which they had started. */
  readonly ends: Readonly<Record<TicketEnd, number>>;
  /** Of the tickets that had started in it, in milliseconds; null where none was answered. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** Of the model's answers, in the second in which they were asked for. */
  readonly tokensUseful: number;
  readonly tokensWasted: number;
  readonly isBreakerOpen: boolean;
};

/** What a side came to. */
export type SideTotals = {
  readonly tickets: number;
  readonly ends: Readonly<Record<TicketEnd, number>>;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** Of the tickets that arrived in the first half of calm: what this machine needs in peace. */
  readonly calmP95Ms: number | null;
  readonly calls: number;
  readonly retries: number;
  /** Requests in the second with the most of them, and in the mean of the seconds in which tickets arrived. */
  readonly peakCallsPerSecond: number;
  readonly meanCallsPerSecond: number;
  readonly peakToMean: number;
  readonly inFlightPeak: number;
  readonly effects: number;
  /** Effects beyond the first of one ticket. */
  readonly doubledEffects: number;
  /** Refunds that users were told of and that did not happen. */
  readonly lostEffects: number;
  /** Refunds that happened and that users were not told of: a person has to look. */
  readonly untoldEffects: number;
  readonly tokensUseful: number;
  readonly tokensWasted: number;
  /** From the fault's start to the first time that the breaker opened; null where it didn't. */
  readonly breakerTripMs: number | null;
  /** Requests of the tickets that arrived in calm and were answered in it, a ticket; null without such tickets. */
  readonly callsPerTicketInCalm: number | null;
  /** Requests of the tickets that arrived in the fault, over those that as many make in peace. */
  readonly loadInFault: number | null;
  /** Requests in the 10 seconds before the fault. */
  readonly samplesBeforeFault: number;
  /** Times after calm that calls rose from below four fifths of calm to above six fifths, averaged over 3 seconds. */
  readonly waves: number;
};

const windowMs = 10_000;
const smoothSeconds = 3;

/** Returns what happened second by second, from the drill's start until its last ticket has ended. */
export function figuresBySecond(plan: DrillPlan, side: SideRecords): readonly SecondFigures[] {
  const { requests, tickets } = side;
  const last = [
    ...requests.map((one) => one.leftAtMs),
    ...tickets.map((one) => one.endedAtMs),
  ].reduce(
    (latest: number, atMs) => Math.max(latest, atMs ?? 0), // more values than a call takes arguments
    wholeMs(plan) - 1,
  );
  const inFlight = inFlightBySecond(requests, secondOf(last) + 1);
  const useful = usefulRequests(requests);
  const requestsBySecond = bySecond(requests, (one) => one.arrivedAtMs);
  const ticketsBySecond = bySecond(tickets, (one) => one.startedAtMs);
  return inFlight.map((most, second) => {
    const here = requestsBySecond.get(second) ?? [];
    const started = ticketsBySecond.get(second) ?? [];
    const tokens = sum(here, (one) => one.tokens);
    const tokensUseful = sum(here, (one) => (useful.has(one) ? one.tokens : 0));
    return {
      second,
      calls: here.length,
      retries: here.filter(isRetry).length,
      inFlight: most,
      ends: countEnds(started),
      ...latencies(started),
      tokensUseful,
      tokensWasted: tokens - tokensUseful,
      isBreakerOpen: isOpenWithin(side, second),
    };
  });
}

/** Returns what a side came to. */
export function totalsOf(
  plan: DrillPlan,
  side: SideRecords,
  seconds: readonly SecondFigures[],
): SideTotals {
  const { tickets, requests, breaker } = side;
  const arriving = seconds.slice(0, Math.ceil(wholeMs(plan) / 1_000)).map(({ calls }) => calls);
  const peak = Math.max(0, ...seconds.map(({ calls }) => calls));
  const mean = sum(arriving, (calls) => calls) / Math.max(1, arriving.length);
  const opened = breaker.find(({ isOpen, atMs }) => isOpen && atMs >= plan.calmMs);
  const { callsPerTicket } = drillFacts;
  const inFault = tickets.filter(({ startedAtMs }) => phaseAt(plan, startedAtMs) === 'fault');
  const inCalm = tickets.filter(({ endedAtMs }) => endedAtMs !== null && endedAtMs < plan.calmMs);
  return {
    tickets: tickets.length,
    ends: countEnds(tickets),
    ...latencies(tickets),
    calmP95Ms: latencies(tickets.filter(({ startedAtMs }) => startedAtMs < plan.calmMs / 2)).p95Ms,
    calls: requests.length,
    retries: requests.filter(isRetry).length,
    peakCallsPerSecond: peak,
    meanCallsPerSecond: round(mean),
    peakToMean: mean === 0 ? 0 : round(peak / mean),
    inFlightPeak: Math.max(0, ...seconds.map(({ inFlight }) => inFlight)),
    ...effectsOf(side),
    tokensUseful: sum(seconds, (one) => one.tokensUseful),
    tokensWasted: sum(seconds, (one) => one.tokensWasted),
    breakerTripMs: opened === undefined ? null : opened.atMs - plan.calmMs,
    callsPerTicketInCalm: ratio(requestsOf(inCalm, requests), inCalm.length),
    loadInFault: ratio(requestsOf(inFault, requests), inFault.length * callsPerTicket),
    samplesBeforeFault: requests.filter(
      ({ arrivedAtMs: atMs }) => atMs < plan.calmMs && atMs >= plan.calmMs - windowMs,
    ).length,
    waves: countWaves(plan, seconds),
  };
}

/**
 * A rise is counted when it is over the upper bound, and another one only after a fall below the lower. In calm calls
 * rise by what the machine does, not by retries.
 */
function countWaves(plan: DrillPlan, seconds: readonly SecondFigures[]): number {
  const calls = seconds.map((one) => one.calls);
  const calmRate = plan.ratePerSecond * drillFacts.callsPerTicket;
  let waves = 0;
  let isLow = true; // nothing has arrived yet
  calls.forEach((_, second) => {
    const window = calls.slice(Math.max(0, second - smoothSeconds + 1), second + 1);
    const mean = sum(window, (one) => one) / smoothSeconds;
    if (mean > calmRate * 1.2 && isLow && second * 1_000 >= plan.calmMs) waves += 1;
    if (mean > calmRate * 1.2) isLow = false;
    else if (mean < calmRate * 0.8) isLow = true;
  });
  return waves;
}

function effectsOf({
  tickets,
  requests,
}: SideRecords): Pick<SideTotals, 'effects' | 'doubledEffects' | 'lostEffects' | 'untoldEffects'> {
  const withEffect = requests.filter(({ hadEffect }) => hadEffect).map((one) => ticketOf(one));
  const happened = new Set(withEffect);
  return {
    effects: withEffect.length,
    doubledEffects: withEffect.length - happened.size,
    lostEffects: tickets.filter(({ isPaid, ticket }) => isPaid && !happened.has(ticket)).length,
    untoldEffects: tickets.filter(({ isPaid, ticket }) => !isPaid && happened.has(ticket)).length,
  };
}

/** Answers that arrived, the first of each call. */
function usefulRequests(requests: readonly DrillRequest[]): ReadonlySet<DrillRequest> {
  const first = new Map<string, DrillRequest>();
  for (const request of requests) {
    const { callId, status } = request;
    if (callId === null || !status?.startsWith('2') || first.has(callId)) continue;
    first.set(callId, request);
  }
  return new Set(first.values());
}

function inFlightBySecond(requests: readonly DrillRequest[], seconds: number): readonly number[] {
  const changes = requests
    .flatMap(({ arrivedAtMs, leftAtMs }) => [
      { atMs: arrivedAtMs, by: 1 },
      ...(leftAtMs === null ? [] : [{ atMs: leftAtMs, by: -1 }]),
    ])
    .toSorted((a, b) => a.atMs - b.atMs || a.by - b.by);
  let now = 0;
  let next = 0;
  return Array.from({ length: seconds }, (_, second) => {
    let most = now;
    for (; next < changes.length; next++) {
      const change = changes[next];
      if (change === undefined || secondOf(change.atMs) > second) break;
      now += change.by;
      most = Math.max(most, now);
    }
    return most;
  });
}

/** Whether the breaker was open at any moment of the second. */
function isOpenWithin({ breaker }: SideRecords, second: number): boolean {
  const before = breaker.findLast(({ atMs }) => atMs < second * 1_000);
  return (
    (before?.isOpen ?? false) ||
    breaker.some(({ atMs, isOpen }) => isOpen && secondOf(atMs) === second)
  );
}

function latencies(tickets: readonly TicketRecord[]): Pick<SideTotals, 'p50Ms' | 'p95Ms'> {
  const sorted = tickets
    .flatMap(({ startedAtMs, endedAtMs }) => (endedAtMs === null ? [] : [endedAtMs - startedAtMs]))
    .toSorted((a, b) => a - b);
  const rank = (share: number): number | null =>
    sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
  return { p50Ms: rank(0.5), p95Ms: rank(0.95) };
}

function countEnds(tickets: readonly TicketRecord[]): Record<TicketEnd, number> {
  const count = (end: TicketEnd): number => tickets.filter((ticket) => ticket.end === end).length;
  return {
    ok: count('ok'),
    degraded: count('degraded'),
    failed: count('failed'),
    hung: count('hung'),
  };
}

function requestsOf(tickets: readonly TicketRecord[], requests: readonly DrillRequest[]): number {
  const names = new Set(tickets.map(({ ticket }) => ticket));
  return requests.filter((request) => names.has(ticketOf(request))).length;
}

/** A call is named `<ticket>/<tool>`. */
function ticketOf({ callId }: DrillRequest): string {
  return callId?.split('/')[0] ?? '';
}

function isRetry({ attempt }: DrillRequest): boolean {
  return attempt > 1;
}

function bySecond<Item>(
  items: readonly Item[],
  atMs: (item: Item) => number,
): ReadonlyMap<number, readonly Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const second = secondOf(atMs(item));
    const group = groups.get(second);
    if (group === undefined) groups.set(second, [item]);
    else group.push(item);
  }
  return groups;
}

function secondOf(atMs: number): number {
  return Math.max(0, Math.floor(atMs / 1_000));
}

function sum<Item>(items: readonly Item[], read: (item: Item) => number): number {
  return items.reduce((total, item) => total + read(item), 0);
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : round(part / whole);
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
