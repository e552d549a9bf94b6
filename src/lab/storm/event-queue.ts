const arity = 4;
const kindBits = 4;
const kindMask = (1 << kindBits) - 1;

/** The subjects that an event may have: numbers below this one. */
export const mostSubjects = 2 ** (32 - kindBits);

/**
 * What is to happen, in order of time; of two events at one moment the one that was planned first comes first. A heap
 * of four branches in typed arrays: nothing is allocated for an event.
 */
export class EventQueue {
  /** Of the event that `next` took. */
  atMs = 0;
  /** Of the event that `next` took: from 0 to 15. */
  kind = 0;
  /** Of the event that `next` took: whatever its kind is about, below `mostSubjects`. */
  subject = 0;
  /** Events that are planned. */
  size = 0;

  #times: Float64Array;
  #orders: Float64Array;
  #payloads: Uint32Array;
  #planned = 0;

  constructor(capacity = 1_024) {
    this.#times = new Float64Array(capacity);
    this.#orders = new Float64Array(capacity);
    this.#payloads = new Uint32Array(capacity);
  }

  plan(atMs: number, kind: number, subject: number): void {
    if (this.size === this.#times.length) this.#grow();
    const order = this.#planned++;
    const payload = (subject << kindBits) | kind;
    let place = this.size++;
    while (place > 0) {
      const parent = (place - 1) >> 2;
      // a parent of the same moment was planned earlier
      if (at(this.#times, parent) <= atMs) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#put(place, atMs, order, payload);
  }

  /** Takes the first event; tells whether there was one. */
  next(): boolean {
    if (this.size === 0) return false;
    const payload = at(this.#payloads, 0);
    this.atMs = at(this.#times, 0);
    this.kind = payload & kindMask;
    this.subject = payload >>> kindBits;
    this.size -= 1;
    if (this.size > 0) this.#sinkLast();
    return true;
  }

  /** Puts the last event where the first one stood, and lets it sink to its place. */
  #sinkLast(): void {
    const { size } = this;
    const times = this.#times;
    const orders = this.#orders;
    const atMs = at(times, size);
    const order = at(orders, size);
    const payload = at(this.#payloads, size);
    let place = 0;
    for (;;) {
      const first = place * arity + 1;
      if (first >= size) break;
      const end = Math.min(first + arity, size);
      let least = first;
      let leastMs = at(times, first);
      for (let child = first + 1; child < end; child++) {
        const childMs = at(times, child);
        if (childMs > leastMs) continue;
        if (childMs === leastMs && at(orders, child) > at(orders, least)) continue;
        least = child;
        leastMs = childMs;
      }
      if (leastMs > atMs || (leastMs === atMs && at(orders, least) > order)) break;
      this.#move(least, place);
      place = least;
    }
    this.#put(place, atMs, order, payload);
  }

  #move(from: number, to: number): void {
    this.#put(to, at(this.#times, from), at(this.#orders, from), at(this.#payloads, from));
  }

  #put(place: number, atMs: number, order: number, payload: number): void {
    this.#times[place] = atMs;
    this.#orders[place] = order;
    this.#payloads[place] = payload;
  }

  #grow(): void {
    const capacity = this.#times.length * 2;
    this.#times = grown(this.#times, new Float64Array(capacity));
    this.#orders = grown(this.#orders, new Float64Array(capacity));
    this.#payloads = grown(this.#payloads, new Uint32Array(capacity));
  }
}

/** Each index stays below the size, so that the alternative is never taken: it is there for the type. */
function at(values: Float64Array | Uint32Array, place: number): number {
  return values[place] ?? Number.NaN;
}

function grown<Values extends Float64Array | Uint32Array>(old: Values, room: Values): Values {
  room.set(old);
  return room;
}
