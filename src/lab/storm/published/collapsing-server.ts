import { EventQueue } from '../event-queue.js';
import { createRandom } from '../random.js';
import { Column } from '../slots.js';
import type { Strategy } from '../strategies/strategy.js';

/** What a run of V99's model came to. */
export type CollapseRun = {
  /** Answers in each second that somebody still waited for. */
  readonly successes: readonly number[];
  readonly retries: number;
};

const seconds = 80;
const spike = { fromMs: 20_000, untilMs: 25_000 };
const callsPerSecond = { base: 40, peak: 80 };
const timeoutMs = 3_000;
const meanTripMs = 100;
const service = { baseMs: 1_000, eachInHandMs: 10 };
const happens = {
  callBegins: 0,
  requestArrives: 1,
  serviceEnds: 2,
  answerArrives: 3,
  timesOut: 4,
  retryIsSent: 5,
} as const;

/**
 * Runs V99's model: calls come at 40 a second, for five seconds at 80; the server gets slower with all that it has in
 * hand; clients give up after 3 s and try again, and the server isn't told. All calls are one client's to the strategy.
 */
export async function runCollapsingServer(seed: number, strategy: Strategy): Promise<CollapseRun> {
  const random = createRandom(seed);
  const events = new EventQueue();
  const callOf = new Column(); // by attempt
  const generationOf = new Column(); // by attempt
  const awaited = new Column(); // by call: the attempt that it waits for, plus one; 0 for none
  const attemptsOf = new Column(); // by call
  const waitedMs = new Column(); // by call
  const successes = new Array<number>(seconds).fill(0);
  let calls = 0;
  let attempts = 0;
  let retries = 0;
  let inHand = 0;
  const { allowance, guard } = strategy;

  const send = (call: number): void => {
    const generation = guard === undefined ? 0 : guard.admit(0, events.atMs);
    if (generation === undefined) return;
    const attempt = attempts++;
    callOf.set(attempt, call);
    generationOf.set(attempt, generation);
    awaited.set(call, attempt + 1);
    attemptsOf.set(call, attemptsOf.get(call) + 1);
    if (attemptsOf.get(call) > 1) retries += 1;
    allowance?.attemptSent?.(0, events.atMs);
    events.plan(events.atMs + timeoutMs, happens.timesOut, attempt);
    events.plan(events.atMs + random.exponential(meanTripMs), happens.requestArrives, attempt);
  };
  const begin = (): void => {
    allowance?.callBegins?.(0);
    send(calls++);
    const isPeak = events.atMs >= spike.fromMs && events.atMs <= spike.untilMs;
    const rate = isPeak ? callsPerSecond.peak : callsPerSecond.base;
    events.plan(events.atMs + random.exponential(1_000 / rate), happens.callBegins, 0);
  };
  const timeOut = async (attempt: number): Promise<void> => {
    const call = callOf.get(attempt);
    if (awaited.get(call) !== attempt + 1) return;
    const nowMs = events.atMs;
    awaited.set(call, 0);
    guard?.record(0, { generation: generationOf.get(attempt), end: 'failure', nowMs });
    allowance?.attemptFailed?.(0);
    const made = attemptsOf.get(call);
    if (made >= strategy.maxAttempts) return;
    const previousMs = made === 1 ? undefined : waitedMs.get(call);
    const delayMs = strategy.waitMs({ retry: made - 1, previousMs, random });
    waitedMs.set(call, delayMs);
    const isAllowed = (await allowance?.mayRetry(0, nowMs + delayMs, nowMs)) ?? true;
    if (isAllowed) events.plan(nowMs + delayMs, happens.retryIsSent, call);
  };
  const answer = (attempt: number): void => {
    const call = callOf.get(attempt);
    if (awaited.get(call) !== attempt + 1) return;
    awaited.set(call, 0);
    const nowMs = events.atMs;
    guard?.record(0, { generation: generationOf.get(attempt), end: 'success', nowMs });
    const second = Math.floor(nowMs / 1_000);
    successes[second] = (successes[second] ?? 0) + 1;
  };

  events.plan(10, happens.callBegins, 0);
  while (events.next() && events.atMs < seconds * 1_000) {
    const { atMs, kind, subject } = events;
    if (kind === happens.callBegins) begin();
    else if (kind === happens.retryIsSent) send(subject);
    else if (kind === happens.timesOut) await timeOut(subject);
    else if (kind === happens.answerArrives) answer(subject);
    else if (kind === happens.requestArrives) {
      inHand += 1;
      const serviceMs = service.baseMs + inHand * service.eachInHandMs;
      events.plan(atMs + serviceMs, happens.serviceEnds, subject);
    } else {
      inHand -= 1;
      events.plan(atMs + random.exponential(meanTripMs), happens.answerArrives, subject);
    }
    await allowance?.settled?.();
  }
  return { successes, retries };
}
