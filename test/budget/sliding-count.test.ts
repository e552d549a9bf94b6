import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type CountedAt, SlidingCount } from '../../src/budget/sliding-count.js';

type Step =
  | { readonly kind: 'add'; readonly atMs: number }
  | { readonly kind: 'remove'; readonly pick: number }
  | { readonly kind: 'count'; readonly edgeMs: number };

const moment = fc.integer({ min: 0, max: 60 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), atMs: moment }) },
  fc.record({ kind: fc.constant('remove' as const), pick: fc.nat() }),
  fc.record({ kind: fc.constant('count' as const), edgeMs: moment }),
);

describe('a sliding count', () => {
  it('counts what a plain list of moments counts, in whatever order they come', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 120 }), (steps) => {
        const count = new SlidingCount();
        let moments: { readonly atMs: number; readonly slot: CountedAt }[] = [];
        for (const step of steps) {
          if (step.kind === 'add') moments.push({ atMs: step.atMs, slot: count.add(step.atMs) });
          if (step.kind === 'remove' && moments.length > 0) {
            const [gone] = moments.splice(step.pick % moments.length, 1);
            if (gone !== undefined) count.remove(gone.slot);
          }
          if (step.kind !== 'count') continue;
          moments = moments.filter(({ atMs }) => atMs > step.edgeMs);
          assert.equal(count.countAfter(step.edgeMs), moments.length);
        }
        assert.equal(count.countAfter(-1), moments.length);
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes nothing back that has left the window', () => {
    const count = new SlidingCount();
    const old = count.add(1);
    count.add(2);
    assert.equal(count.countAfter(1), 1);
    count.remove(old);
    assert.equal(count.countAfter(1), 1);
  });

  it('forgets everything when it is cleared', () => {
    const count = new SlidingCount();
    count.add(1);
    count.clear();
    assert.equal(count.countAfter(0), 0);
  });
});
