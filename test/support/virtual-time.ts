import { setImmediate } from 'node:timers/promises';

type Moment = { readonly atMs: number; readonly run: () => void };

/** A clock that stands still until the test lets it run, and what is to happen by it. */
export class VirtualTime {
  nowMs = 0;
  /** In order of time; of two at one moment the one that was planned first comes first. */
  readonly #moments: Moment[] = [];

  after(delayMs: number, run: () => void): void {
    const atMs = this.nowMs + delayMs;
    this.#moments.splice(this.#placeOf(atMs), 0, { atMs, run });
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Lets it run as long as something is planned and a condition holds; everything that is planned is synchronous. */
  runWhile(goesOn: () => boolean): void {
    while (goesOn() && this.#next()) {}
  }

  /** Lets it run until nothing is planned, and waits after each moment for what came of it. */
  async run(): Promise<void> {
    await setImmediate();
    while (this.#next()) await setImmediate();
  }

  #next(): boolean {
    const moment = this.#moments.shift();
    if (moment === undefined) return false;
    this.nowMs = moment.atMs;
    moment.run();
    return true;
  }

  #placeOf(atMs: number): number {
    let low = 0;
    let high = this.#moments.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#moments[middle]?.atMs ?? 0) <= atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
