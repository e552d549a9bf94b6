import { FleetStoreUnavailableError } from './fleet-errors.js';
import type { FleetAnswer, FleetReport, FleetStore } from './fleet-store.js';

/** Milliseconds after which a store that gave no answer is asked again. */
const askAgainMs = 1_000;
/** Clocks that drift apart by no more stay as they were set: a change would move what was reported already. */
const driftMs = 50;

/** Who hears of the fleet's store. */
export type FleetListeners = {
  readonly onFallback: (error: FleetStoreUnavailableError) => void;
  readonly onRecovery: () => void;
};

export type FleetLinkOptions = FleetListeners & {
  /** Milliseconds that a decision waits for the store. */
  readonly answerWithinMs: number;
  /** Milliseconds of a clock that never steps back. */
  readonly now: () => number;
};

/** A worker's connection to the fleet's store: whether it answers, and how its clock stands to the worker's. */
export class FleetLink {
  #state: 'new' | 'up' | 'down' | 'closed' = 'new';
  #askAgainAt = 0;
  #offsetMs = 0;

  constructor(
    readonly store: FleetStore,
    readonly options: FleetLinkOptions,
  ) {}

  /** What happened can be told: the last exchange was answered, and the store's clock is known. */
  get isUp(): boolean {
    return this.#state === 'up';
  }

  /** The worker decides by itself. */
  get isDown(): boolean {
    return this.#state === 'down' || this.#state === 'closed';
  }

  /** Tells whether an exchange may be begun; of a store that is down one a second asks whether it is back. */
  mayAsk(nowMs: number): boolean {
    if (!this.isDown) return true;
    if (this.#state === 'closed' || nowMs < this.#askAgainAt) return false;
    this.#askAgainAt = nowMs + askAgainMs;
    return true;
  }

  /** Returns a moment of the worker's clock by the store's. */
  toStoreMs(atMs: number): number {
    return atMs + this.#offsetMs;
  }

  /** Returns the answer, or undefined where there is none: nothing is thrown. */
  async exchange(report: FleetReport): Promise<FleetAnswer | undefined> {
    const sentAtMs = this.options.now();
    try {
      const answer = await this.store.exchange(report);
      this.#answered(answer, sentAtMs);
      return answer;
    } catch (error) {
      this.#fallBack(error);
      return undefined;
    }
  }

  /** A decision could wait no longer. */
  tooSlow(): void {
    this.#fallBack(new Error(`no answer within ${this.options.answerWithinMs} ms`));
  }

  close(): void {
    this.#state = 'closed';
  }

  #answered({ nowMs }: FleetAnswer, sentAtMs: number): void {
    const answeredAtMs = this.options.now();
    // the store's clock was read somewhere between the two
    const offsetMs = nowMs - (sentAtMs + answeredAtMs) / 2;
    if (Math.abs(offsetMs - this.#offsetMs) > driftMs) this.#offsetMs = offsetMs;
    if (answeredAtMs - sentAtMs > this.options.answerWithinMs) this.tooSlow();
    else this.#recover();
  }

  #fallBack(cause: unknown): void {
    if (this.isDown) return;
    this.#state = 'down';
    this.#askAgainAt = this.options.now() + askAgainMs;
    const isTold = cause instanceof FleetStoreUnavailableError;
    const error = isTold ? cause : new FleetStoreUnavailableError('exchange', cause);
    // a listener that throws disturbs no decision
    queueMicrotask(() => this.options.onFallback(error));
  }

  #recover(): void {
    const wasDown = this.#state === 'down';
    if (this.#state !== 'closed') this.#state = 'up';
    if (wasDown) queueMicrotask(this.options.onRecovery);
  }
}
