/** A binary heap of objects by their moment: how a queue of events is usually written. */
export class ObjectHeap<Item extends { readonly atMs: number }> {
  readonly #items: Item[] = [];

  push(item: Item): void {
    const items = this.#items;
    let place = items.push(item) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = items[parent];
      if (above === undefined || above.atMs <= item.atMs) break;
      items[place] = above;
      place = parent;
    }
    items[place] = item;
  }

  pop(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let place = 0;
    for (;;) {
      const left = items[place * 2 + 1];
      const right = items[place * 2 + 2];
      if (left === undefined) break;
      const isRight = right !== undefined && right.atMs < left.atMs;
      const least = isRight ? right : left;
      if (least.atMs >= last.atMs) break;
      items[place] = least;
      place = place * 2 + (isRight ? 2 : 1);
    }
    items[place] = last;
    return first;
  }
}
