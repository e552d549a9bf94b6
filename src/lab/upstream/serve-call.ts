import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { refusal } from './answers.js';
import type { CallCounters } from './call-stats.js';
import { decideFault } from './decide-fault.js';
import { type FaultPlan, faultsOf } from './faults.js';
import type { KeyedAnswers } from './keyed-answers.js';
import { prepareCall } from './perform-call.js';
import type { CallRoute } from './routes.js';
import { type Exchange, send, strike, strikesAt } from './strike.js';
import { headerOf, type ReadBody, readBody } from './wire.js';

/** What a request of the shop or the model is served with. */
export type CallContext = {
  readonly seed: number;
  readonly faults: FaultPlan;
  /** Requests of the route before this one since the faults were set. */
  readonly earlierRequests: number;
  /** Milliseconds since the faults were set. */
  readonly elapsedMs: number;
  /** Requests of the route before this one since the start or the last reset. */
  readonly requestsSoFar: number;
  readonly counters: CallCounters;
  /** undefined where keys are not honoured. */
  readonly keys: KeyedAnswers | undefined;
  /** Aborted when the server stops: a request that waits then has no effect. */
  readonly signal: AbortSignal;
  /** Returns a new id that begins with the prefix. */
  readonly newId: (prefix: string) => string;
};

/**
 * Serves one request with its faults, in this order: body, key, delay, fault before the effect,
 * the effect, delay and fault after it. A client that goes away stops nothing, as on a real
 * server: the effect still lands. Rejects when the server stops or the body can't be read.
 */
export async function serveCall(
  route: CallRoute,
  wire: { readonly request: IncomingMessage; readonly response: ServerResponse },
  context: CallContext,
): Promise<void> {
  const { request } = wire;
  const key = headerOf(request, 'idempotency-key');
  const callId = headerOf(request, 'x-lab-call') ?? key;
  const exchange = { ...wire, counter: countArrival({ route, wire, key, callId, context }) };
  const { fault, delayMs, delayAt } = decideFault({
    seed: context.seed,
    route: route.kind,
    callId: callId ?? `request-${context.requestsSoFar + 1}`,
    attempt: exchange.counter.attempt,
    earlierRequests: context.earlierRequests,
    elapsedMs: context.elapsedMs,
    faults: faultsOf(context.faults, route.kind),
  });
  const delayOn = (at: typeof delayAt): Promise<void> =>
    delay(exchange, { delayMs: at === delayAt ? delayMs : 0, signal: context.signal });

  const body = await bodyOf(route, request);
  if (body.kind !== 'json') return refuseBody(exchange, body.kind);
  const { keys, newId } = context;
  const { counter } = exchange;
  const misbehaviour = fault?.kind === 'misbehave' ? fault.how : undefined;
  const struck = fault?.kind === 'misbehave' ? undefined : fault;
  const call = prepareCall({ route, body: body.value, key, keys, counter, newId, misbehaviour });
  await delayOn('before-effect').catch((error: unknown) => {
    call.giveUp(); // the server stops: nothing was done, the key is free after a new start
    throw error;
  });
  if (struck && strikesAt(struck, 'before-effect')) {
    call.giveUp();
    return strike(exchange, struck);
  }
  const reply = call.perform();
  await delayOn('after-effect');
  if (struck && strikesAt(struck, 'after-effect')) return strike(exchange, struck);
  send(exchange, reply);
}

function countArrival(facts: {
  readonly route: CallRoute;
  readonly wire: { readonly request: IncomingMessage; readonly response: ServerResponse };
  readonly key: string | undefined;
  readonly callId: string | undefined;
  readonly context: CallContext;
}): Exchange['counter'] {
  const { route, wire, key, callId, context } = facts;
  const counter = context.counters.arrive({
    route: route.kind,
    callId,
    key,
    budget: {
      attempt: headerOf(wire.request, 'holdfast-attempt'),
      retriesLeft: headerOf(wire.request, 'holdfast-retries-left'),
      timeLeftMs: headerOf(wire.request, 'holdfast-time-left-ms'),
    },
  });
  wire.response.once('close', () => {
    counter.end('client-gone'); // counts only where nothing else ended it before
    counter.leave();
  });
  return counter;
}

async function delay(
  { counter }: Exchange,
  { delayMs, signal }: { readonly delayMs: number; readonly signal: AbortSignal },
): Promise<void> {
  if (delayMs <= 0) return;
  counter.fault('delay');
  await sleep(delayMs, undefined, { signal });
}

function bodyOf(route: CallRoute, request: IncomingMessage): Promise<ReadBody> {
  if (route.kind === 'lookup') return Promise.resolve({ kind: 'json', value: undefined });
  return readBody(request);
}

function refuseBody(exchange: Exchange, kind: Exclude<ReadBody['kind'], 'json'>): void {
  const answer =
    kind === 'not-json'
      ? refusal({ status: 400, code: 'not-json', message: 'The body is not JSON.' })
      : refusal({ status: 413, code: 'too-large', message: 'The body is too large to be read.' });
  send(exchange, { answer });
}
