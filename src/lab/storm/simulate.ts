import { setImmediate } from 'node:timers/promises';
import { Downstream } from './downstream.js';
import { EventQueue } from './event-queue.js';
import { createRandom } from './random.js';
import type { Scenario } from './scenario.js';
import { Column, Slots } from './slots.js';
import type { Strategy } from './strategies/strategy.js';
import { type CallError, Tally } from './tally.js';

/** Hears how far a run is. */
export type Watcher = {
  readonly onProgress?: (at: { readonly second: number; readonly events: number }) => void;
};

/** How many events lie between two reports of progress. */
const reportEvery = 1 << 18;

const happens = {
  callBegins: 0,
  serviceEnds: 1,
  timesOut: 2,
  retryIsDue: 3,
  outageBegins: 4,
  outageEnds: 5,
  secondEnds: 6,
  surges: 7,
  surgingCallBegins: 8,
} as const;

/** Who still holds an attempt: it is forgotten when neither of them does. */
const held = { byClient: 1, byDownstream: 2, byTimer: 4 } as const;

/** Runs a storm until its last call has ended. Returns what was counted, and the events that it took. */
export async function simulate(
  scenario: Scenario,
  strategy: Strategy,
  { onProgress }: Watcher = {},
): Promise<{ readonly tally: Tally; readonly events: number }> {
  const storm = new Storm(scenario, strategy);
  let events = 0;
  while (storm.goesOn()) {
    const pending = storm.step();
    events += 1;
    if (pending !== undefined) await pending;
    if (events % reportEvery !== 0) continue;
    onProgress?.({ second: Math.floor(storm.nowMs / 1_000), events });
    await setImmediate(); // whoever wants to end the process is heard
  }
  storm.tally.endSecond(0);
  return { tally: storm.tally, events };
}

class Storm {
  readonly tally = new Tally();
  readonly #scenario: Scenario;
  readonly #strategy: Strategy;
  readonly #events = new EventQueue();
  readonly #downstream: Downstream;
  readonly #serviceMs: number;
  readonly #endMs: number;
  /** What refusals have cost the downstream and it has not worked off. */
  #debtMs = 0;
  // a stream for each kind of chance, so that all strategies meet the same calls
  readonly #arrivals;
  readonly #services;
  readonly #faults;
  readonly #waits;

  readonly #calls = new Slots();
  readonly #clientOf = new Column();
  readonly #begunAt = new Column();
  readonly #attemptsOf = new Column();
  readonly #waitedMs = new Column();

  readonly #attempts = new Slots();
  readonly #callOf = new Column();
  readonly #generationOf = new Column();
  readonly #holders = new Column();

  constructor(scenario: Scenario, strategy: Strategy) {
    const { capacityPerSecond, serviceMs, queue, outage, seed } = scenario;
    const places = Math.max(1, Math.round((capacityPerSecond * serviceMs) / 1_000));
    this.#scenario = scenario;
    this.#strategy = strategy;
    this.#downstream = new Downstream({ places, queue });
    this.#serviceMs = (places * 1_000) / capacityPerSecond;
    this.#endMs = scenario.seconds * 1_000;
    this.#arrivals = createRandom(seed, 0);
    this.#services = createRandom(seed, 1);
    this.#faults = createRandom(seed, 2);
    this.#waits = createRandom(seed, 3);
    this.#events.plan(1_000, happens.secondEnds, 0);
    if (outage.seconds > 0) {
      this.#events.plan(outage.fromSecond * 1_000, happens.outageBegins, 0);
      const untilMs = (outage.fromSecond + outage.seconds) * 1_000;
      this.#events.plan(untilMs, happens.outageEnds, 0);
    }
    if (scenario.surge.calls > 0) this.#planSurge(0);
    this.#planArrival(0);
  }

  get nowMs(): number {
    return this.#events.atMs;
  }

  /** Tells whether calls are still to begin or to end. */
  goesOn(): boolean {
    return (this.nowMs < this.#endMs || this.#calls.taken > 0) && this.#events.next();
  }

  /** Lets the next event happen. */
  step(): void | Promise<void> {
    const { kind, subject } = this.#events;
    switch (kind) {
      case happens.callBegins:
        this.#planArrival(this.nowMs);
        return this.#begin();
      case happens.surges:
        this.#planSurge(this.nowMs);
        for (let call = 0; call < this.#scenario.surge.calls; call++) {
          this.#events.plan(this.nowMs, happens.surgingCallBegins, 0);
        }
        return;
      case happens.surgingCallBegins:
        return this.#begin();
      case happens.serviceEnds:
        return this.#serviceEnds(subject);
      case happens.timesOut:
        return this.#timesOut(subject);
      case happens.retryIsDue:
        return this.#send(subject);
      case happens.outageBegins:
        return this.#downstream.openShare(this.#scenario.outage.capacityShare);
      case happens.outageEnds:
        return this.#recover();
      default:
        this.tally.endSecond(this.#downstream.held);
        this.#events.plan(this.nowMs + 1_000, happens.secondEnds, 0);
    }
  }

  #planArrival(nowMs: number): void {
    const atMs = nowMs + this.#arrivals.exponential(1_000 / this.#scenario.callsPerSecond);
    if (atMs < this.#endMs) this.#events.plan(atMs, happens.callBegins, 0);
  }

  #planSurge(nowMs: number): void {
    const atMs = nowMs + this.#scenario.surge.everySeconds * 1_000;
    if (atMs < this.#endMs) this.#events.plan(atMs, happens.surges, 0);
  }

  #begin(): void | Promise<void> {
    const call = this.#calls.take();
    const client = Math.floor(this.#arrivals.next() * this.#scenario.clients);
    this.#clientOf.set(call, client);
    this.#begunAt.set(call, this.nowMs);
    this.#attemptsOf.set(call, 0);
    this.tally.calls += 1;
    this.#strategy.allowance?.callBegins?.(client);
    return this.#send(call);
  }

  #send(call: number): void | Promise<void> {
    const { guard, allowance } = this.#strategy;
    const client = this.#clientOf.get(call);
    const generation = guard === undefined ? 0 : guard.admit(client, this.nowMs);
    if (generation === undefined) return this.#end(call, 'rejected');
    const attempt = this.#attempts.take();
    this.#callOf.set(attempt, call);
    this.#generationOf.set(attempt, generation);
    this.#attemptsOf.set(call, this.#attemptsOf.get(call) + 1);
    this.tally.attempts += 1;
    allowance?.attemptSent?.(client, this.nowMs);
    const arrival = this.#downstream.take(attempt);
    if (arrival === 'refused') {
      this.#debtMs += this.#scenario.refusalShare * this.#serviceMs;
      this.#attempts.free(attempt);
      return this.#failed(call, generation, 'refused');
    }
    if (arrival === 'served') this.#serve(attempt);
    this.#holders.set(attempt, held.byClient | held.byDownstream | held.byTimer);
    this.#events.plan(this.nowMs + this.#scenario.timeoutMs, happens.timesOut, attempt);
    return allowance?.settled?.();
  }

  #serve(attempt: number): void {
    const refusalsMs = Math.min(this.#debtMs, this.#serviceMs);
    this.#debtMs -= refusalsMs;
    const endsAt = this.nowMs + refusalsMs + this.#services.exponential(this.#serviceMs);
    this.#events.plan(endsAt, happens.serviceEnds, attempt);
  }

  #serviceEnds(attempt: number): void | Promise<void> {
    const next = this.#downstream.serviceEnded();
    if (next !== undefined) this.#serve(next);
    const fails = this.#faults.next() < this.#scenario.failureShare;
    if (!this.#isAwaited(attempt)) {
      this.tally.wasted += 1;
      return this.#letGo(attempt, held.byDownstream);
    }
    const call = this.#callOf.get(attempt);
    const generation = this.#generationOf.get(attempt);
    this.#letGo(attempt, held.byDownstream | held.byClient);
    if (fails) return this.#failed(call, generation, 'failure');
    const { guard } = this.#strategy;
    guard?.record(this.#clientOf.get(call), { generation, end: 'success', nowMs: this.nowMs });
    return this.#end(call, undefined);
  }

  #timesOut(attempt: number): void | Promise<void> {
    const isAwaited = this.#isAwaited(attempt);
    const call = this.#callOf.get(attempt);
    const generation = this.#generationOf.get(attempt);
    this.#letGo(attempt, held.byTimer | held.byClient);
    if (isAwaited) return this.#failed(call, generation, 'timeout');
  }

  #isAwaited(attempt: number): boolean {
    return (this.#holders.get(attempt) & held.byClient) !== 0;
  }

  #letGo(attempt: number, who: number): void {
    const left = this.#holders.get(attempt) & ~who;
    this.#holders.set(attempt, left);
    if (left === 0) this.#attempts.free(attempt);
  }

  #failed(call: number, generation: number, error: CallError): void | Promise<void> {
    const { guard, allowance, maxAttempts, waitMs } = this.#strategy;
    const client = this.#clientOf.get(call);
    guard?.record(client, { generation, end: 'failure', nowMs: this.nowMs });
    allowance?.attemptFailed?.(client);
    const attempts = this.#attemptsOf.get(call);
    if (attempts >= maxAttempts) return this.#end(call, error);
    const delayMs = waitMs({
      retry: attempts - 1,
      previousMs: attempts === 1 ? undefined : this.#waitedMs.get(call),
      random: this.#waits,
    });
    this.#waitedMs.set(call, delayMs);
    const dueMs = this.nowMs + delayMs;
    const decided = allowance?.mayRetry(client, dueMs, this.nowMs) ?? true;
    if (typeof decided === 'boolean') return this.#decided(call, error, { decided, dueMs });
    return decided.then((isAllowed) => this.#decided(call, error, { decided: isAllowed, dueMs }));
  }

  #decided(
    call: number,
    error: CallError,
    { decided, dueMs }: { readonly decided: boolean; readonly dueMs: number },
  ): void {
    if (decided) this.#events.plan(dueMs, happens.retryIsDue, call);
    else this.#end(call, error);
  }

  #end(call: number, error: CallError | undefined): void {
    this.tally.callEnded(error, this.nowMs - this.#begunAt.get(call));
    this.#calls.free(call);
  }

  #recover(): void {
    this.#downstream.openShare(1);
    for (const attempt of this.#downstream.waiting()) this.#serve(attempt);
  }
}
