import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type EffectRig, startEffectRig } from '../support/effect-rig.js';
import { type StartedStore, startStore } from '../support/effect-store.js';
import { fates, loseWorker, refundKinds } from '../support/lost-refunds.js';
import { points } from '../support/points.js';

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`a refund claimed in ${kind}, whose worker is killed`, () => {
    let started: StartedStore;
    let rig: EffectRig;

    before(async () => {
      started = await startStore(kind);
      rig = await startEffectRig(started.store);
    });
    after(async () => {
      await rig.stop();
      await started.stop();
    });

    describe('at each point', { concurrency: points.length }, () => {
      for (const point of points) {
        it(`ends as its downstream lets it ${point.replace('-', ' the ')}`, async () => {
          const lost = await loseWorker(rig, { point });
          for (const refund of refundKinds) {
            const fate = await lost[refund].fate();
            assert.deepEqual({ refund, ...fate }, { refund, ...fates[point][refund] });
          }
        });
      }
    });
  });
}
