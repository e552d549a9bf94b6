import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  bucketMsOf,
  type FleetAnswer,
  type FleetReport,
  type FleetStore,
} from '../../src/limits/fleet-store.js';

const figures = { percent: 10, windowMs: 10_000, minSamples: 100 };
/** Long enough for two statements, short enough to wait for its end. */
const brief = { ...figures, windowMs: 1_000 };

type Said = Partial<Omit<FleetReport, 'changes'>> & {
  readonly calls?: number;
  readonly retries?: number;
  /** Milliseconds from the store's present to the bucket of calls, retries and asks. */
  readonly inMs?: number;
  readonly askCount?: number;
};

/** The claims that every store of a fleet keeps. */
export function describeFleetStore(name: string, open: () => Promise<FleetStore>): void {
  describe(`a fleet's store in ${name}`, () => {
    let store: FleetStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const say = async (said: Said): Promise<FleetAnswer> => {
      const { calls = 0, retries = 0, inMs = 0, askCount = 0, ...report } = said;
      const empty = { window: 'orders', figures, changes: [], asks: [], lease: 0, ...report };
      const { nowMs } = await store.exchange({ ...empty, lease: 0 });
      const bucket = Math.floor((nowMs + inMs) / bucketMsOf(empty.figures.windowMs));
      const isChange = calls !== 0 || retries !== 0;
      return store.exchange({
        ...empty,
        changes: isChange ? [{ bucket, calls, retries }] : [],
        asks: Array.from({ length: askCount }, () => bucket),
      });
    };

    it('grants 10 % of the calls that the fleet has reported, and no more', async () => {
      await say({ calls: 600 });
      await say({ calls: 400 });
      const answers = [await say({ askCount: 60 }), await say({ askCount: 60 })];
      assert.deepEqual(
        answers.map(({ granted }) => granted),
        [60, 40],
      );
      assert.equal(answers[1]?.retries, 100);
    });

    it('grants everything under the least number of calls, and charges it', async () => {
      const first = await say({ calls: 99, askCount: 50, lease: 7 });
      assert.deepEqual([first.granted, first.leased, first.retries], [50, 7, 57]);
      assert.equal((await say({ calls: 1, askCount: 1 })).granted, 0);
    });

    it('grants before it leases', async () => {
      const { granted, leased } = await say({ calls: 100, askCount: 8, lease: 8 });
      assert.deepEqual([granted, leased], [8, 2]);
    });

    it('counts what it has leased until that is given back', async () => {
      const { leaseBucket } = await say({ calls: 100, lease: 10 });
      assert.equal((await say({ askCount: 1 })).granted, 0);
      const changes = [{ bucket: leaseBucket, calls: 0, retries: -4 }];
      await store.exchange({ window: 'orders', figures, changes, asks: [], lease: 0 });
      assert.equal((await say({ askCount: 10 })).granted, 4);
    });

    it('compares counts, so that 29 % of 100 are 29', async () => {
      const given = { ...figures, percent: 29 };
      assert.equal((await say({ calls: 100, figures: given, askCount: 99 })).granted, 29);
    });

    it('takes parts of a percent as they are', async () => {
      const given = { ...figures, percent: 0.29 };
      assert.equal((await say({ calls: 10_000, figures: given, askCount: 99 })).granted, 29);
    });

    it('keeps windows of different names apart', async () => {
      await say({ window: 'orders', calls: 1_000 });
      assert.equal((await say({ window: 'mail', askCount: 1 })).calls, 0);
    });

    it('counts no call that was taken back', async () => {
      await say({ calls: 110 });
      assert.equal((await say({ calls: -10 })).calls, 100);
    });

    it('makes no room for what is given back and was never there', async () => {
      await say({ calls: 100, askCount: 10 });
      await say({ retries: -5, inMs: 3_000 });
      assert.equal((await say({ askCount: 5 })).granted, 0);
    });

    it('leaves out what happened before the window', async () => {
      const { calls } = await say({ calls: 1_000, inMs: -11_000 });
      assert.equal(calls, 0);
    });

    it('forgets calls and retries when the window has passed over them', async () => {
      await say({ figures: brief, calls: 100, askCount: 10 });
      await sleep(brief.windowMs + 2 * bucketMsOf(brief.windowMs));
      const { calls, retries } = await say({ figures: brief });
      assert.deepEqual([calls, retries], [0, 0]);
    });

    it('lets a retry stand that is due later, while its call is forgotten', async () => {
      await say({ figures: brief, calls: 100 });
      await say({ figures: brief, askCount: 10, inMs: 60_000 });
      await sleep(brief.windowMs + 2 * bucketMsOf(brief.windowMs));
      const { calls, retries } = await say({ figures: brief });
      assert.deepEqual([calls, retries], [0, 10]);
    });

    it('grants no more than there is to workers who ask at the same moment', async () => {
      await say({ calls: 1_000 });
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => say({ askCount: 3, lease: 1 })),
      );
      const given = answers.reduce((sum, { granted, leased }) => sum + granted + leased, 0);
      assert.equal(given, 100);
    });

    it('may be closed twice', async () => {
      await store.close();
      await store.close();
    });
  });
}
