/** Numbers of things that come and go: those that are gone are given out again, so that their arrays stay short. */
export class Slots {
  readonly #free: number[] = [];
  #next = 0;

  /** Slots that were ever out at one time. */
  get most(): number {
    return this.#next;
  }

  /** Slots that are out. */
  get taken(): number {
    return this.#next - this.#free.length;
  }

  take(): number {
    return this.#free.pop() ?? this.#next++;
  }

  free(slot: number): void {
    this.#free.push(slot);
  }
}

/** A typed array that grows as it is written to. */
export class Column {
  #values: Float64Array = new Float64Array(1_024);

  /** Returns what was set, or 0. */
  get(slot: number): number {
    return this.#values[slot] ?? 0;
  }

  set(slot: number, value: number): void {
    if (slot >= this.#values.length) this.#grow(slot);
    this.#values[slot] = value;
  }

  #grow(slot: number): void {
    const grown = new Float64Array(Math.max(slot + 1, this.#values.length * 2));
    grown.set(this.#values);
    this.#values = grown;
  }
}
