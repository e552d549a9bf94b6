import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMemoryFleetStore } from '../../src/limits/memory-fleet-store.js';
import { describeFleetStore } from '../support/fleet-store-suite.js';

describeFleetStore('memory', async () => createMemoryFleetStore());

describe("a fleet's store in memory, by a clock of the test", () => {
  it('counts a bucket that the edge of the window cuts as retries, and no longer as calls', async () => {
    let nowMs = 1_000_000;
    const store = createMemoryFleetStore({ now: () => nowMs });
    const figures = { percent: 10, windowMs: 10_000, minSamples: 100 };
    const report = { window: 'orders', figures, changes: [], asks: [], lease: 0 };
    const changes = [{ bucket: nowMs / 250, calls: 5, retries: 3 }];
    await store.exchange({ ...report, changes });
    const sums: (readonly [number, number])[] = [];
    for (const passedMs of [9_999, 10_000, 10_249, 10_250]) {
      nowMs = 1_000_000 + passedMs;
      const { calls, retries } = await store.exchange(report);
      sums.push([calls, retries]);
    }
    assert.deepEqual(sums, [
      [5, 3],
      [0, 3],
      [0, 3],
      [0, 0],
    ]);
  });
});
