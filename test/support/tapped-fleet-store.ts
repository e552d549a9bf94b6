import { FleetStoreUnavailableError } from '../../src/limits/fleet-errors.js';
import type { FleetReport, FleetStore } from '../../src/limits/fleet-store.js';
import { createMemoryFleetStore } from '../../src/limits/memory-fleet-store.js';

/** A store in memory that a test can listen to, take down and hold up. */
export class TappedFleetStore implements FleetStore {
  readonly kind = 'memory';
  readonly reports: FleetReport[] = [];
  isDown = false;
  isClosed = false;
  /** What an exchange waits for before the store hears of it. */
  held: Promise<void> = Promise.resolve();
  readonly #store: FleetStore;

  constructor(now: () => number) {
    this.#store = createMemoryFleetStore({ now });
  }

  async exchange(report: FleetReport) {
    this.reports.push(report);
    if (this.isDown) throw new FleetStoreUnavailableError('exchange', new Error('it is down'));
    await this.held;
    return this.#store.exchange(report);
  }

  /** Holds exchanges up until the returned function is called. */
  hold(): () => void {
    let release = (): void => {};
    this.held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}
