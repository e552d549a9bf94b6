import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Admission,
  type BreakerEnd,
  cappedAttempts,
  traceBreaker,
} from '../../src/budget/index.js';
import { BreakerRig } from '../support/breaker-rig.js';

type Step =
  | { readonly kind: 'call' }
  | { readonly kind: 'end'; readonly pick: number; readonly end: BreakerEnd['end'] }
  | { readonly kind: 'repeat'; readonly pick: number; readonly end: BreakerEnd['end'] }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'restore' };

const anyEnd = fc.constantFrom('success' as const, 'failure' as const, 'neutral' as const);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'call' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('end' as const), pick: fc.nat(), end: anyEnd }),
  },
  fc.record({ kind: fc.constant('repeat' as const), pick: fc.nat(), end: anyEnd }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: -50, max: 500 }) }),
  fc.constant({ kind: 'restore' as const }),
);
const anyOptions = fc.record(
  {
    failureThreshold: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant('Infinity' as const)),
    halfOpenAfterCalls: fc.integer({ min: 1, max: 4 }),
    probeAfterMs: fc.integer({ min: 1, max: 1_000 }),
  },
  { requiredKeys: ['failureThreshold', 'halfOpenAfterCalls'] },
);

/** A breaker with calls in flight, and what has been seen of it. */
class World {
  readonly rig: BreakerRig;
  inFlight: Admission[] = [];
  readonly settled: Admission[] = [];

  constructor(options: BreakerRig['options']) {
    this.rig = new BreakerRig(options);
  }

  take(step: Step): void {
    switch (step.kind) {
      case 'call':
        this.inFlight.push(this.rig.admit());
        return;
      case 'end':
        this.settle(step.pick, step.end);
        return;
      case 'repeat': {
        const again = this.settled[step.pick % Math.max(1, this.settled.length)];
        if (again !== undefined) this.rig.end(again, step.end);
        return;
      }
      case 'wait':
        this.rig.nowMs += step.ms;
        return;
      case 'restore':
        this.rig.restore();
        return;
    }
  }

  settle(pick: number, end: BreakerEnd['end']): void {
    const chosen = this.inFlight[pick % Math.max(1, this.inFlight.length)];
    if (chosen === undefined) return;
    this.inFlight = this.inFlight.filter((admission) => admission !== chosen);
    this.settled.push(chosen);
    this.rig.end(chosen, end);
  }

  /** The calls in flight whose end would still change something. */
  live(): readonly Extract<Admission, { kind: 'admitted' }>[] {
    return this.inFlight.flatMap((admission) =>
      admission.kind === 'admitted' && admission.generation === this.rig.state.generation
        ? [admission]
        : [],
    );
  }
}

function forAnyRun(check: (world: World, before: BreakerRig['state'], step: Step) => void): void {
  fc.assert(
    fc.property(anyOptions, fc.array(anyStep, { maxLength: 80 }), (options, steps) => {
      const world = new World(options);
      for (const step of steps) {
        const before = world.rig.state;
        world.take(step);
        check(world, before, step);
      }
    }),
    { numRuns: 1_000 },
  );
}

describe('a breaker, for any interleaving of calls in flight', () => {
  it('never has two live probes', () => {
    forAnyRun((world) => {
      const live = world.live();
      assert.ok(live.filter(({ probe }) => probe).length <= 1);
    });
  });

  it('has no live call beside the probe in half-open, and none in open', () => {
    forAnyRun((world) => {
      const live = world.live();
      if (world.rig.state.kind === 'half-open') assert.ok(live.every(({ probe }) => probe));
      if (world.rig.state.kind === 'open') assert.equal(live.length, 0);
    });
  });

  it('never lowers its generation, and raises it whenever its kind changes', () => {
    forAnyRun((world, before) => {
      const { state } = world.rig;
      assert.ok(state.generation >= before.generation);
      if (state.kind !== before.kind) assert.ok(state.generation > before.generation);
    });
  });

  it('keeps its counts within its options', () => {
    forAnyRun((world) => {
      const { state, options } = world.rig;
      if (state.kind === 'closed') {
        assert.ok(state.failuresInARow < Number(options.failureThreshold));
      }
      const rejected = state.kind === 'open' ? state.rejected : 0;
      const waited = state.kind === 'half-open' ? state.rejectedSinceProbe : 0;
      assert.ok(Math.max(rejected, waited) <= options.halfOpenAfterCalls);
    });
  });

  it('can be closed from anywhere within one cooldown of calls', () => {
    forAnyRun((world) => {
      const copy = new BreakerRig(world.rig.options);
      copy.state = world.rig.state;
      copy.nowMs = world.rig.nowMs;
      const most = copy.options.halfOpenAfterCalls + 1;
      const admitted = Array.from({ length: most }, () => copy.call('success'));
      assert.ok(admitted.includes(true));
      assert.equal(copy.state.kind, 'closed');
    });
  });
});

/** The rule of the counting breaker for calls one after another, with counters only. */
function slowTrace(threshold: number, cooldown: number, calls: readonly boolean[]): string[] {
  let failures = 0;
  let rejectionsDue: number | undefined;
  return calls.map((succeeds) => {
    if (rejectionsDue !== undefined && rejectionsDue > 0) {
      rejectionsDue -= 1;
      return 'open';
    }
    failures = succeeds ? 0 : failures + 1;
    const trips = !succeeds && (rejectionsDue === 0 || failures >= threshold);
    rejectionsDue = trips ? cooldown : undefined;
    if (trips) failures = 0;
    return trips ? 'open' : 'closed';
  });
}

describe('traceBreaker, for any script', () => {
  it('shows the states that plain counters give', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.boolean(), { maxLength: 60 }),
        (failureThreshold, halfOpenAfterCalls, calls) => {
          const trace = traceBreaker({ failureThreshold, halfOpenAfterCalls }, calls);
          assert.deepEqual(trace.states, slowTrace(failureThreshold, halfOpenAfterCalls, calls));
          assert.equal(trace.allowed + trace.rejected, calls.length);
        },
      ),
    );
  });
});

describe('cappedAttempts, for any share and count', () => {
  it('is at least 1, at most one more than the share, and never trips the breaker by itself', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 50 }), fc.nat(60), (share, limit, failed) => {
        const attempts = cappedAttempts({ share, failureThreshold: limit, failuresInARow: failed });
        assert.ok(Number.isInteger(attempts) && attempts >= 1 && attempts <= 1 + share);
        assert.ok(attempts === 1 || attempts + failed <= limit);
      }),
    );
  });
});
