import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FleetChanges } from '../../src/limits/fleet-changes.js';
import { FleetLeases } from '../../src/limits/fleet-leases.js';

const asItIs = (atMs: number): number => atMs;

describe('what a worker has not told its fleet yet', () => {
  it("is summed by buckets of the store's clock", () => {
    const changes = new FleetChanges(10_000, 250);
    changes.addAt(1_000, { calls: 1 });
    changes.addAt(1_249.9, { calls: 1 });
    changes.addAt(1_250, { retries: 1 });
    const told = changes.take((atMs) => atMs + 5_000);
    assert.deepEqual(told, [
      { bucket: 24, calls: 2, retries: 0 },
      { bucket: 25, calls: 0, retries: 1 },
    ]);
    assert.deepEqual(changes.take(asItIs), []);
  });

  it('is nothing where it was taken back before it was told', () => {
    const changes = new FleetChanges(10_000, 250);
    changes.addAt(1_000, { calls: 1 });
    changes.addAt(1_000, { calls: -1 });
    assert.deepEqual(changes.take(asItIs), []);
  });

  it('is told again, where no answer came, as far as it leaves the fleet less room', () => {
    const changes = new FleetChanges(10_000, 250);
    changes.tellAgain([
      { bucket: 1, calls: 7, retries: 3 },
      { bucket: 2, calls: -2, retries: -4 },
    ]);
    assert.deepEqual(changes.take(asItIs), [
      { bucket: 1, calls: 0, retries: 3 },
      { bucket: 2, calls: -2, retries: 0 },
    ]);
  });

  it('stays small in an outage that outlasts the window by far', () => {
    const changes = new FleetChanges(10_000, 250);
    for (let atMs = 0; atMs < 3_600_000; atMs += 10) changes.addAt(atMs, { calls: 1 });
    assert.ok(changes.take(asItIs).length < 4 * 40);
  });
});

describe('retries that a fleet has leased', () => {
  it('are spent oldest first, and given back when their time is over', () => {
    const back: (readonly [number, number])[] = [];
    const leases = new FleetLeases((bucket, retries) => back.push([bucket, retries]));
    leases.add({ left: 2, bucket: 8, untilMs: 2_000 });
    leases.add({ left: 3, bucket: 9, untilMs: 2_200 });
    assert.equal(leases.spend(1_999), 8);
    assert.equal(leases.left(1_999), 4);
    assert.equal(leases.spend(2_000), 9);
    leases.end();
    assert.equal(leases.spend(2_000), undefined);
    assert.deepEqual(back, [
      [8, 1],
      [9, 2],
    ]);
  });
});
