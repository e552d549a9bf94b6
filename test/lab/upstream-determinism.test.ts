import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { faultsOf } from '../../src/lab/upstream/faults.js';
import { decideFault, faultPlanSchema } from '../../src/lab/upstream/index.js';
import { withUpstream } from './upstream-fixture.js';

const faults = {
  refunds: { faults: [{ kind: 'status', status: 503, rate: 0.4 }] },
} as const;
const callIds = Array.from({ length: 30 }, (_, index) => `ticket-${index}/refund`);

describe('the seed of the lab upstream', () => {
  it('gives the same call and attempt the same fault in whatever order calls come', async () => {
    const forwards = await statusesOf({ seed: 7, calls: callIds });
    const backwards = await statusesOf({ seed: 7, calls: [...callIds].reverse() });
    assert.deepEqual(backwards, forwards);
  });

  it('gives other faults under another seed', async () => {
    const one = await statusesOf({ seed: 7, calls: callIds });
    const other = await statusesOf({ seed: 8, calls: callIds });
    assert.notDeepEqual(other, one);
  });

  it('puts the logical call above the idempotency key, which differs between systems', async () => {
    const keyed = await statusesOf({ seed: 7, calls: callIds, keyPrefix: 'system-a-' });
    assert.deepEqual(keyed, await statusesOf({ seed: 7, calls: callIds }));
  });

  it('goes by the count of the route where a request names no call', async () => {
    const bare = async (): Promise<readonly number[]> => {
      const statuses: number[] = [];
      await withUpstream({ seed: 3, faults }, async (upstream) => {
        for (let n = 0; n < 20; n += 1) statuses.push((await upstream.refund()).status);
      });
      return statuses;
    };
    const first = await bare();
    assert.deepEqual(await bare(), first);
    assert.equal(new Set(first).size, 2);
  });

  it('draws each fault at about its rate', () => {
    const plan = faultPlanSchema.parse({
      chat: {
        delay: { rate: 0.25, ms: 100, jitterMs: 50 },
        faults: [
          { kind: 'drop', rate: 0.3 },
          { kind: 'reset', rate: 0.2 },
        ],
      },
    });
    const decisions = Array.from({ length: 20_000 }, (_, index) =>
      decideFault({
        seed: 1,
        route: 'chat',
        callId: `call-${index}`,
        attempt: 1,
        earlierRequests: index,
        elapsedMs: 0,
        faults: faultsOf(plan, 'chat'),
      }),
    );
    const share = (holds: (decision: (typeof decisions)[number]) => boolean): number =>
      decisions.filter(holds).length / decisions.length;
    const isNear = (value: number, wanted: number): boolean => Math.abs(value - wanted) < 0.02;
    assert.ok(
      isNear(
        share(({ fault }) => fault?.kind === 'drop'),
        0.3,
      ),
    );
    assert.ok(
      isNear(
        share(({ fault }) => fault?.kind === 'reset'),
        0.2,
      ),
    );
    assert.ok(
      isNear(
        share(({ delayMs }) => delayMs >= 100 && delayMs < 150),
        0.25,
      ),
    );
    assert.ok(
      isNear(
        share(({ delayMs }) => delayMs === 0),
        0.75,
      ),
    );
  });
});

/** Two attempts for each call; the answers by call, sorted. */
async function statusesOf(run: {
  readonly seed: number;
  readonly calls: readonly string[];
  readonly keyPrefix?: string;
}): Promise<readonly string[]> {
  const lines: string[] = [];
  await withUpstream({ seed: run.seed, faults }, async (upstream) => {
    for (const call of run.calls) {
      const key = run.keyPrefix === undefined ? {} : { key: `${run.keyPrefix}${call}` };
      const first = await upstream.refund({ call, ...key });
      const second = await upstream.refund({ call, ...key });
      lines.push(`${call} ${first.status} ${second.status}`);
    }
  });
  return lines.sort();
}
