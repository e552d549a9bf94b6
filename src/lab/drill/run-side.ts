import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import type { RequestRecord } from '../upstream/index.js';
import { type DrillPlan, drillFacts, mostConcurrent, ticketCount, wholeMs } from './drill-plan.js';
import type { DrillRequest, SideRecords, TicketEnd, TicketRecord } from './drill-records.js';
import type { Side } from './start-side.js';
import type { DrillAnswer, DrillTicket } from './ticket.js';
import { watchBreaker } from './watch-breaker.js';

/** How far a side is. */
export type SideProgress = { readonly started: number; readonly ended: number };

/** What a side is run with. */
export type SideRun = {
  readonly plan: DrillPlan;
  readonly client: Client;
  /** Names the drill's workflows apart from those of another one. */
  readonly drillId: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: SideProgress) => void;
};

const { patienceMs } = drillFacts;

/** Lets the tickets of one side arrive while the faults come and go, and returns all that was seen. */
export async function runSide(side: Side, run: SideRun): Promise<SideRecords> {
  const { plan, signal } = run;
  await side.upstream.reset();
  const startedAt = Date.now();
  const now = (): number => Date.now() - startedAt;
  const over = new AbortController();
  const watching = watchBreaker(side.metricsUrl, {
    now,
    signal: AbortSignal.any([signal, over.signal]),
  });
  try {
    const [tickets] = await Promise.all([arrive(side, run, now), strike(side, plan, signal)]);
    over.abort();
    const { requests } = await side.upstream.requests();
    const breaker = await watching;
    return { id: side.id, tickets, requests: requests.map(relative(startedAt)), breaker };
  } finally {
    over.abort();
  }
}

async function strike(
  { faults }: Side,
  { calmMs, faultMs }: DrillPlan,
  signal: AbortSignal,
): Promise<void> {
  await sleep(calmMs, undefined, { signal });
  await faults.begin();
  await sleep(faultMs, undefined, { signal });
  await faults.end();
}

async function arrive(
  side: Side,
  run: SideRun,
  now: () => number,
): Promise<readonly TicketRecord[]> {
  const { plan, signal, onProgress } = run;
  const count = ticketCount(plan);
  const giveUpAtMs = wholeMs(plan) + patienceMs;
  let started = 0;
  let ended = 0;
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await sleep((index * 1_000) / plan.ratePerSecond, undefined, { signal });
      started += 1;
      const record = await work(side, run, { index, now, giveUpAtMs });
      ended += 1;
      onProgress({ started, ended });
      return record;
    }),
  );
}

type Answered = Pick<TicketRecord, 'end' | 'isPaid'>;

async function work(
  { taskQueue, id }: Side,
  { client, plan, drillId, signal }: SideRun,
  place: { readonly index: number; readonly now: () => number; readonly giveUpAtMs: number },
): Promise<TicketRecord> {
  const { index, now, giveUpAtMs } = place;
  const ticket = `ticket-${String(index + 1).padStart(5, '0')}`;
  const startedAtMs = now();
  const given: DrillTicket = {
    ticket,
    orderId: `ORD-${1_001 + ((index + plan.seed) % 999)}`,
    maxConcurrent: mostConcurrent(plan),
  };
  const handle = await client.workflow.start('answerTicket', {
    taskQueue,
    workflowId: `${ticket}.${id}.${drillId}`,
    args: [given],
  });
  const gaveUp = new AbortController();
  const answered = await Promise.race([
    handle.result().then(answeredWith, failedWith),
    sleep(Math.max(patienceMs, giveUpAtMs - now()), undefined, {
      signal: AbortSignal.any([signal, gaveUp.signal]),
    }),
  ]).finally(() => gaveUp.abort());
  if (answered === undefined) {
    await handle.terminate('the drill is over').catch(() => {}); // it has just ended by itself
    return { ticket, startedAtMs, endedAtMs: null, end: 'hung', isPaid: false };
  }
  const endedAtMs = now();
  const isLate = endedAtMs - startedAtMs > patienceMs;
  return { ticket, startedAtMs, endedAtMs, ...answered, ...(isLate ? { end: 'hung' } : {}) };
}

function answeredWith({ degraded, isPaid }: DrillAnswer): Answered {
  return { end: degraded.length > 0 ? 'degraded' : 'ok', isPaid };
}

function failedWith(error: unknown): Answered {
  if (!(error instanceof WorkflowFailedError)) throw error;
  const end: TicketEnd = 'failed';
  return { end, isPaid: false };
}

function relative(startedAt: number): (request: RequestRecord) => DrillRequest {
  return ({ callId, attempt, status, hadEffect, tokens, arrivedAt, leftAt }) => ({
    callId,
    attempt,
    status,
    hadEffect,
    tokens,
    arrivedAtMs: arrivedAt - startedAt,
    leftAtMs: leftAt === null ? null : leftAt - startedAt,
  });
}
