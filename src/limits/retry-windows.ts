import { checkRatioFigures, type RatioFigures } from '../budget/ratio-budget.js';
import type { RatioKey } from './retry-budget.js';

type Window = { readonly isEmpty: (nowMs: number) => boolean };

/** The least number of windows at which those that have run empty are looked for. */
const sweepFrom = 1_000;

/**
 * The windows in which a key counts: its downstream's, and its tenant's where it has one. Figures with another
 * length have windows of their own. Windows that have run empty are forgotten, so that tenants come and go.
 */
export class RetryWindows<Kept extends Window> {
  readonly #windows = new Map<string, Kept>();
  #sweepAt = sweepFrom;
  #checked: RatioFigures | undefined;

  /** `open` makes a window for a key, whose tenant is absent where the window is the downstream's. */
  constructor(readonly open: (key: RatioKey) => Kept) {}

  /** @throws InvalidRequestError for figures that break their rules */
  of(key: RatioKey, nowMs: number): readonly Kept[] {
    const { downstream, tenant, ratio } = key;
    if (ratio !== this.#checked) checkRatioFigures(ratio);
    this.#checked = ratio;
    const name = `${ratio.windowMs} ${downstream}`;
    const shared = this.#get(name, { downstream, ratio }, nowMs);
    return tenant === undefined ? [shared] : [shared, this.#get(`${name}\0${tenant}`, key, nowMs)];
  }

  all(): readonly Kept[] {
    return [...this.#windows.values()];
  }

  #get(name: string, key: RatioKey, nowMs: number): Kept {
    const known = this.#windows.get(name);
    if (known !== undefined) return known;
    if (this.#windows.size >= this.#sweepAt) this.#sweep(nowMs);
    const opened = this.open(key);
    this.#windows.set(name, opened);
    return opened;
  }

  /** Each time as many windows have been opened as were left: a constant share for each of them. */
  #sweep(nowMs: number): void {
    for (const [name, window] of this.#windows) {
      if (window.isEmpty(nowMs)) this.#windows.delete(name);
    }
    this.#sweepAt = Math.max(sweepFrom, this.#windows.size * 2);
  }
}
