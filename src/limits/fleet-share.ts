import { RatioBudget, type RatioFigures } from '../budget/ratio-budget.js';
import { SlidingCount } from '../budget/sliding-count.js';
import { FleetChanges } from './fleet-changes.js';
import { FleetLeases } from './fleet-leases.js';
import type { FleetLink } from './fleet-link.js';
import { bucketMsOf, type FleetAnswer, type FleetReport, leaseMsOf } from './fleet-store.js';
import { once } from './once.js';

/** What the fleet says of one retry. */
export type Taken =
  | { readonly kind: 'granted'; readonly giveBack: () => void }
  | { readonly kind: 'denied' }
  /** The store gives no answer. */
  | { readonly kind: 'unavailable' };

/** A retry that waits for the store's answer. */
type Ask = { readonly dueMs: number; readonly settle: (taken: Taken) => void };

/** Traffic begins an exchange when the last one is older: what a worker says is as old as that at most. */
const exchangeEveryMs = 200;
/** Milliseconds in which "nothing is left" is taken for the answer to further retries. */
const spentForMs = 100;
/** What the coming retries are guessed from. */
const demandMs = 1_000;

/**
 * A worker's share in one window of the fleet. Calls are told and retries are leased in the background, while calls
 * run; a decision takes a leased retry and asks nobody. Only where none is leased it waits for the store, at most
 * every `spentForMs` while nothing is left. No timer runs while there is no traffic.
 */
export class FleetShare {
  /** The worker's own window, which decides while the store gives no answer. */
  readonly local: RatioBudget;
  /** Those of the latest call. */
  #figures: RatioFigures;
  readonly #changes: FleetChanges;
  readonly #leases: FleetLeases;
  readonly #decisions = new SlidingCount();
  #asks: Ask[] = [];
  #exchanging: Promise<void> | undefined;
  #isEnding = false;
  #exchangedAtMs = Number.NEGATIVE_INFINITY;
  #spentAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    readonly window: string,
    readonly link: FleetLink,
    figures: RatioFigures,
  ) {
    this.#figures = figures;
    this.local = new RatioBudget(figures.windowMs);
    this.#changes = new FleetChanges(figures.windowMs, bucketMsOf(figures.windowMs));
    this.#leases = new FleetLeases((bucket, retries) => {
      this.#changes.addIn(bucket, { retries: -retries });
    });
  }

  /** Counts a call and returns what takes it back. */
  callSent(figures: RatioFigures, nowMs: number): () => void {
    this.#figures = figures;
    const call = this.local.callSent(nowMs);
    this.#changes.addAt(nowMs, { calls: 1 });
    this.#exchangeInPassing(nowMs);
    return once(() => {
      this.local.takeBack(call);
      this.#changes.addAt(nowMs, { calls: -1 });
    });
  }

  /** Takes a retry from the fleet's window. */
  take(figures: RatioFigures, dueMs: number, nowMs: number): Taken | Promise<Taken> {
    this.#figures = figures;
    this.#decisions.add(nowMs);
    this.#decisions.countAfter(nowMs - demandMs); // forgets what is over, be the store up or down
    const leased = this.#spendLease(dueMs, nowMs);
    if (leased !== undefined) return leased;
    if (this.link.isDown) {
      this.#exchangeInPassing(nowMs);
      return { kind: 'unavailable' };
    }
    if (nowMs - this.#spentAtMs < spentForMs) return { kind: 'denied' };
    return this.#ask(dueMs);
  }

  /** Charges a retry that the worker has decided by itself, and returns what gives it back. */
  charge(dueMs: number): () => void {
    const retry = this.local.charge(dueMs);
    this.#changes.addAt(dueMs, { retries: 1 });
    return once(() => {
      this.local.refund(retry);
      this.#changes.addAt(dueMs, { retries: -1 });
    });
  }

  isEmpty(nowMs: number): boolean {
    return this.#exchanging === undefined && this.local.isEmpty(nowMs);
  }

  /** Gives back what is leased and tells what isn't told yet. */
  async flush(): Promise<void> {
    await this.#exchanging;
    this.#leases.end();
    this.#isEnding = true;
    if (this.link.isUp && !this.#changes.isEmpty) await this.#tell();
  }

  #spendLease(dueMs: number, nowMs: number): Taken | undefined {
    const bucket = this.#leases.spend(nowMs);
    if (bucket === undefined) return undefined;
    this.#changes.addIn(bucket, { retries: -1 });
    this.#changes.addAt(dueMs, { retries: 1 });
    return this.#granted(dueMs);
  }

  /** Charged already: by the fleet under the moment at which it is due, and here. */
  #granted(dueMs: number): Taken {
    const retry = this.local.charge(dueMs);
    const giveBack = once(() => {
      this.local.refund(retry);
      this.#changes.addAt(dueMs, { retries: -1 });
    });
    return { kind: 'granted', giveBack };
  }

  #ask(dueMs: number): Promise<Taken> {
    return new Promise((resolve) => {
      let isSettled = false;
      const settle = (taken: Taken): void => {
        clearTimeout(timer);
        // a grant that comes too late is no use to anybody
        if (isSettled && taken.kind === 'granted') taken.giveBack();
        isSettled = true;
        resolve(taken);
      };
      const timer = setTimeout(() => {
        this.link.tooSlow();
        settle({ kind: 'unavailable' });
      }, this.link.options.answerWithinMs);
      this.#asks.push({ dueMs, settle });
      this.#exchanging ??= this.#exchange();
    });
  }

  #exchangeInPassing(nowMs: number): void {
    if (this.#exchanging !== undefined || nowMs - this.#exchangedAtMs < exchangeEveryMs) return;
    if (this.link.mayAsk(nowMs)) this.#exchanging = this.#exchange();
  }

  async #exchange(): Promise<void> {
    await undefined; // retries that are asked for at one moment go together
    if (!this.link.isUp) await this.#greet();
    if (this.link.isUp) await this.#tell();
    while (this.link.isUp && this.#asks.length > 0) await this.#tell();
    for (const { settle } of this.#asks.splice(0)) settle({ kind: 'unavailable' });
    this.#exchanging = undefined;
  }

  /** Asks for nothing but a sign, and the store's clock: a store that may not hear it is told nothing. */
  async #greet(): Promise<void> {
    this.#exchangedAtMs = this.link.options.now();
    await this.link.exchange(this.#greeting());
  }

  async #tell(): Promise<void> {
    const sentAtMs = this.link.options.now();
    this.#exchangedAtMs = sentAtMs;
    const asks = this.#asks.splice(0);
    const report = this.#report(asks, sentAtMs);
    const answer = await this.link.exchange(report);
    if (answer !== undefined) {
      this.#take(report, asks, { answer, sentAtMs });
      return;
    }
    this.#changes.tellAgain(report.changes);
    for (const { settle } of asks) settle({ kind: 'unavailable' });
  }

  #greeting(): FleetReport {
    return { window: this.window, figures: this.#figures, changes: [], asks: [], lease: 0 };
  }

  #report(asks: readonly Ask[], nowMs: number): FleetReport {
    const lease = Math.max(0, this.#demand(nowMs) - this.#leases.left(nowMs));
    const toStoreMs = (atMs: number): number => this.link.toStoreMs(atMs);
    const bucketMs = bucketMsOf(this.local.windowMs);
    return {
      ...this.#greeting(),
      changes: this.#changes.take(toStoreMs),
      asks: asks.map(({ dueMs }) => Math.floor(toStoreMs(Math.floor(dueMs)) / bucketMs)),
      lease,
    };
  }

  /** Retries to be decided until the next exchange: as many as lately, and those that its own calls make room for. */
  #demand(nowMs: number): number {
    if (this.#isEnding) return 0;
    const lately = this.#decisions.countAfter(nowMs - demandMs) / demandMs;
    const own = (this.local.calls(nowMs) * this.#figures.percent) / 100 / this.local.windowMs;
    return Math.floor(Math.max(lately, own) * exchangeEveryMs);
  }

  #take(
    report: FleetReport,
    asks: readonly Ask[],
    { answer, sentAtMs }: { readonly answer: FleetAnswer; readonly sentAtMs: number },
  ): void {
    const { granted, leased, leaseBucket } = answer;
    const untilMs = sentAtMs + leaseMsOf(this.local.windowMs);
    this.#leases.add({ left: leased, bucket: leaseBucket, untilMs });
    for (const [index, { dueMs, settle }] of asks.entries()) {
      settle(index < granted ? this.#granted(dueMs) : { kind: 'denied' });
    }
    const nowMs = this.link.options.now();
    const isSpent = granted < asks.length || leased < report.lease;
    if (isSpent) this.#spentAtMs = nowMs;
    for (const ask of this.#asks.splice(0)) {
      const taken = this.#spendLease(ask.dueMs, nowMs);
      if (taken !== undefined) ask.settle(taken);
      else if (isSpent) ask.settle({ kind: 'denied' });
      else this.#asks.push(ask);
    }
  }
}
