import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type EffectRig, startEffectRig } from '../support/effect-rig.js';
import { type StartedStore, startStore } from '../support/effect-store.js';
import { fates, type Loss, loseWorker, refundKinds } from '../support/lost-refunds.js';

const FIVE_MINUTES_MS = 300_000;

/** By its own clock the one would hold its lease five minutes too long, the other wait five minutes for its end. */
const losses: readonly (Loss & { readonly whose: string })[] = [
  { point: 'before-settle', whose: 'the lost one, ahead', lostAheadMs: FIVE_MINUTES_MS },
  { point: 'before-settle', whose: 'the rescuer, behind', rescuerAheadMs: -FIVE_MINUTES_MS },
];

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`with claims in ${kind}, a worker whose clock is five minutes off`, () => {
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

    describe('changes nothing', {
      concurrency: losses.length,
      timeout: FIVE_MINUTES_MS / 2,
    }, () => {
      for (const { whose, ...loss } of losses) {
        it(`where it is ${whose}`, async () => {
          const lost = await loseWorker(rig, loss);
          for (const refund of refundKinds) {
            const fate = await lost[refund].fate();
            assert.deepEqual({ refund, ...fate }, { refund, ...fates[loss.point][refund] });
          }
        });
      }
    });
  });
}
