import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../src/lab/bench/seeded-random.js';
import { VirtualTime } from '../support/virtual-time.js';
import { WorkerBreakerRig } from '../support/worker-breaker-rig.js';

const callsPerSecond = 20;
const delayMs = 2_000;
const dropShare = 0.3;
const seeds = Array.from({ length: 200 }, (_, seed) => seed + 1);

type Trip = { readonly sinceStartMs: number; readonly sinceFailureMs: number };

/** Runs 20 calls/s of which a share is dropped, which the caller notices after `noticedMs`; the rest take 2 s. */
function tripOf(seed: number, noticedMs: number): Trip {
  const random = seededRandom(seed);
  const time = new VirtualTime();
  const rig = new WorkerBreakerRig();
  let firstFailureAt = Number.POSITIVE_INFINITY;
  const call = (): void => {
    time.after(1_000 / callsPerSecond, call);
    rig.nowMs = time.nowMs;
    const admission = rig.admit();
    const isDropped = random() < dropShare;
    time.after(isDropped ? noticedMs : delayMs, () => {
      rig.nowMs = time.nowMs;
      if (isDropped) firstFailureAt = Math.min(firstFailureAt, time.nowMs);
      rig.end(admission, isDropped ? 'failure' : 'success');
    });
  };
  call();
  time.runWhile(() => rig.breaker.kind === 'closed');
  return { sinceStartMs: time.nowMs, sinceFailureMs: time.nowMs - firstFailureAt };
}

describe('a worker breaker under 30 % drops and 2 s delay at 20 calls/s', () => {
  const drops: Readonly<Record<string, number>> = {
    'whose connection is cut': delayMs,
    'that a timeout of 3 s notices': 3_000,
  };
  for (const [name, noticedMs] of Object.entries(drops)) {
    it(`trips within 15 s of the first call, with drops ${name}, for 200 seeds`, () => {
      const late = seeds.filter((seed) => tripOf(seed, noticedMs).sinceStartMs > 15_000);
      assert.deepEqual(late, []);
    });
  }

  it('trips within 15 s of the first failure, with drops that a timeout of 10 s notices', () => {
    const late = seeds.filter((seed) => tripOf(seed, 10_000).sinceFailureMs > 15_000);
    assert.deepEqual(late, []);
  });
});
