import { Fifo } from './fifo.js';

/** What a downstream does with what comes: works on it, lets it wait, or refuses it. */
export type Arrival = 'served' | 'queued' | 'refused';

/**
 * A downstream that works on so many attempts at a time and lets a number of others wait in line. It isn't told that
 * a client has given up, and works on what nobody waits for. Who drives it says when a service ends.
 */
export class Downstream {
  readonly #line = new Fifo();
  readonly #places: number;
  readonly #queue: number;
  #open: number;
  #busy = 0;

  constructor({ places, queue }: { readonly places: number; readonly queue: number }) {
    this.#places = places;
    this.#open = places;
    this.#queue = queue;
  }

  /** Attempts that it works on, or that wait in line. */
  get held(): number {
    return this.#busy + this.#line.size;
  }

  /** Takes an attempt: `served` is one whose service begins. */
  take(attempt: number): Arrival {
    if (this.#busy < this.#open) {
      this.#busy += 1;
      return 'served';
    }
    if (this.#line.size >= this.#queue) return 'refused';
    this.#line.push(attempt);
    return 'queued';
  }

  /** A service has ended. Returns the attempt whose service begins in its place. */
  serviceEnded(): number | undefined {
    this.#busy -= 1;
    return this.#next();
  }

  /** Opens a share of its places; those that are taken are freed when their service ends. */
  openShare(share: number): void {
    this.#open = Math.round(this.#places * share);
  }

  /** Returns the attempts whose service begins in places that have been opened. */
  *waiting(): Generator<number> {
    for (let attempt = this.#next(); attempt !== undefined; attempt = this.#next()) yield attempt;
  }

  #next(): number | undefined {
    if (this.#busy >= this.#open) return undefined;
    const attempt = this.#line.shift();
    if (attempt !== undefined) this.#busy += 1;
    return attempt;
  }
}
