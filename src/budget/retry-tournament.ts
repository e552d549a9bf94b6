/**
 * Finds the node whose next retry is the best one: the largest gain, on an exact tie the lower
 * price, still tied the earlier node. A tournament tree: nodes are the leaves, and each inner
 * place holds the winner of the two places below it, so that one changed node takes one
 * comparison a level, O(log nodes), half of what a binary heap needs.
 */
export class RetryTournament {
  readonly #gains: Float64Array;
  readonly #prices: Float64Array;
  /** The overall winner at 1, the two below place p at 2p and 2p + 1, the leaves from `#leaves`. */
  readonly #winners: Int32Array;
  readonly #leaves: number;

  /** @param count node numbers are from 0 to below this; none has a gain yet */
  constructor(count: number) {
    let leaves = 1;
    while (leaves < count) leaves *= 2;
    this.#leaves = leaves;
    this.#gains = new Float64Array(leaves);
    this.#prices = new Float64Array(leaves);
    this.#winners = Int32Array.from({ length: 2 * leaves }, (_, place) =>
      firstLeafBelow(place, leaves),
    );
  }

  /** Returns the number of the best node, or undefined where no node gains anything. */
  get best(): number | undefined {
    const best = this.#winners[1];
    return best !== undefined && this.#gainOf(best) > 0 ? best : undefined;
  }

  /** Sets what a node's next retry gains (0 for nothing) and its price. */
  set(node: number, gain: number, price: number): void {
    this.#gains[node] = gain;
    this.#prices[node] = price;
    for (let place = (this.#leaves + node) >> 1; place > 0; place >>= 1) {
      this.#winners[place] = this.#winnerOf(this.#at(2 * place), this.#at(2 * place + 1));
    }
  }

  /** `earlier` stands left in the tree, so its number is the lower one: it wins a full tie. */
  #winnerOf(earlier: number, later: number): number {
    const gain = this.#gainOf(earlier);
    const laterGain = this.#gainOf(later);
    if (gain !== laterGain) return gain > laterGain ? earlier : later;
    return this.#priceOf(later) < this.#priceOf(earlier) ? later : earlier;
  }

  // Places lie below twice the leaves and nodes below the leaves: the arrays hold a number there.
  #at(place: number): number {
    return this.#winners[place] as number;
  }

  #gainOf(node: number): number {
    return this.#gains[node] as number;
  }

  #priceOf(node: number): number {
    return this.#prices[node] as number;
  }
}

function firstLeafBelow(place: number, leaves: number): number {
  let leaf = place;
  while (leaf > 0 && leaf < leaves) leaf *= 2;
  return leaf - leaves;
}
