/** Things that were counted at one moment; its count is 0 once they have left the window. */
export type CountedAt = { readonly atMs: number; count: number };

/**
 * Counts what happens at points in time and forgets what lies behind the window's edge: exact to the millisecond.
 * What comes in order costs O(1); a moment before the last one is put in its place.
 */
export class SlidingCount {
  /** In order of time, from `#head` on; absent while it holds nothing, since most of a million clients are idle. */
  #slots: CountedAt[] | undefined;
  #head = 0;
  #total = 0;

  /** Counts one; what it returns goes to `remove`. */
  add(atMs: number): CountedAt {
    this.#total += 1;
    this.#slots ??= [];
    const slot = slotAt(this.#slots, this.#head, atMs);
    slot.count += 1;
    return slot;
  }

  /** Takes one back that was counted, unless it has left the window already. */
  remove(slot: CountedAt): void {
    if (slot.count === 0) return;
    slot.count -= 1;
    this.#total -= 1;
  }

  /** Forgets what was counted at the edge or before it, and returns how many are left. */
  countAfter(edgeMs: number): number {
    const slots = this.#slots;
    if (slots === undefined) return 0;
    for (let slot = slots[this.#head]; slot !== undefined; slot = slots[this.#head]) {
      if (slot.atMs > edgeMs) break;
      this.#total -= slot.count;
      slot.count = 0;
      this.#head += 1;
    }
    this.#dropForgotten(slots);
    return this.#total;
  }

  clear(): void {
    this.countAfter(Number.POSITIVE_INFINITY);
  }

  /** Moves the slots only when half of them are forgotten: a constant share for each one added. */
  #dropForgotten(slots: CountedAt[]): void {
    if (this.#head === slots.length) this.#slots = undefined;
    else if (this.#head * 2 > slots.length) slots.splice(0, this.#head);
    else return;
    this.#head = 0;
  }
}

function slotAt(slots: CountedAt[], head: number, atMs: number): CountedAt {
  let place = slots.length;
  const last = slots[place - 1];
  if (last !== undefined && last.atMs > atMs) place = placeOf(slots, head, atMs);
  const before = place > head ? slots[place - 1] : undefined;
  if (before?.atMs === atMs) return before;
  const slot = { atMs, count: 0 };
  if (place === slots.length) slots.push(slot);
  else slots.splice(place, 0, slot);
  return slot;
}

/** Returns the first place, from the head on, whose moment is later. */
function placeOf(slots: readonly CountedAt[], head: number, atMs: number): number {
  let low = head;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const slot = slots[middle];
    if (slot !== undefined && slot.atMs <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
