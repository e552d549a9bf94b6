/** Numbers that leave in the order in which they came: a ring that grows. */
export class Fifo {
  #ring = new Uint32Array(1_024);
  #head = 0;
  size = 0;

  push(value: number): void {
    if (this.size === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.size) % this.#ring.length] = value;
    this.size += 1;
  }

  shift(): number | undefined {
    if (this.size === 0) return undefined;
    const value = this.#ring[this.#head];
    this.#head = (this.#head + 1) % this.#ring.length;
    this.size -= 1;
    return value;
  }

  #grow(): void {
    const grown = new Uint32Array(this.#ring.length * 2);
    grown.set(this.#ring.subarray(this.#head));
    grown.set(this.#ring.subarray(0, this.#head), this.#ring.length - this.#head);
    this.#ring = grown;
    this.#head = 0;
  }
}
