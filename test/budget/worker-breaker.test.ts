import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { WorkerBreaker, type WorkerBreakerOptions } from '../../src/budget/index.js';
import { defaults, isProbe, WorkerBreakerRig } from '../support/worker-breaker-rig.js';

describe('a worker breaker', () => {
  it('opens on the fifth failure in a row', () => {
    const rig = new WorkerBreakerRig();
    assert.deepEqual(
      [rig.script('FFFF'), rig.script('S'), rig.script('FFFF'), rig.script('F')],
      ['closed', 'closed', 'closed', 'open'],
    );
  });

  it('opens when 20 % of 50 calls have failed, and on no fewer calls', () => {
    const rig = new WorkerBreakerRig();
    rig.script('FSSSS'.repeat(9));
    assert.equal(rig.script('FSSS'), 'closed');
    assert.equal(rig.script('S'), 'open');
  });

  it('stays closed one failure below 20 %', () => {
    const rig = new WorkerBreakerRig();
    assert.equal(rig.script(`${'FSSSS'.repeat(9)}${'S'.repeat(5)}`), 'closed');
    assert.equal(rig.script('SSSS'), 'closed');
  });

  it('compares counts, so that 29 of 100 are 29 %', () => {
    const rig = new WorkerBreakerRig({ ...defaults, failurePercent: 29, minSamples: 100 });
    rig.script(`${'S'.repeat(71)}${'FFFF'.repeat(7)}`.replaceAll('FFFF', 'FFFFX'), 0);
    assert.equal(rig.breaker.kind, 'open');
  });

  it('forgets calls that ended before its window', () => {
    const rig = new WorkerBreakerRig();
    rig.script('FSSS'.repeat(12));
    rig.nowMs += 10_000;
    assert.equal(rig.script('FSSSSSS'.repeat(7)), 'closed');
  });

  it('rejects for 30 s, however many calls come', () => {
    const rig = new WorkerBreakerRig();
    rig.trip();
    for (let call = 0; call < 1_000; call++) assert.equal(rig.admit().kind, 'rejected');
    rig.nowMs += 29_999;
    assert.deepEqual(rig.admit(), { kind: 'rejected', rejectionsLeft: 0, waitMs: 1 });
    rig.nowMs += 1;
    assert.ok(isProbe(rig.admit()));
  });

  it('rejects three calls, however late they come', () => {
    const rig = new WorkerBreakerRig();
    rig.trip();
    rig.nowMs += 3_600_000;
    const answers = Array.from({ length: 4 }, () => rig.admit());
    assert.deepEqual(answers.map(isProbe), [false, false, false, true]);
    assert.deepEqual(answers[0], { kind: 'rejected', rejectionsLeft: 2, waitMs: 0 });
  });

  it('closes on the success of its probe, and begins to count anew', () => {
    const rig = new WorkerBreakerRig();
    rig.coolDown();
    rig.call('success');
    assert.equal(rig.breaker.kind, 'closed');
    assert.equal(rig.script('FFFF'), 'closed');
  });

  it('opens on the failure of its probe with a whole cooldown', () => {
    const rig = new WorkerBreakerRig();
    rig.coolDown();
    rig.call('failure');
    assert.deepEqual(rig.admit(), { kind: 'rejected', rejectionsLeft: 2, waitMs: 30_000 });
  });

  it('forfeits a probe that gives no sign after another cooldown, and hears it no longer', () => {
    const rig = new WorkerBreakerRig();
    rig.coolDown();
    const lost = rig.admit();
    for (let call = 0; call < 10; call++) assert.equal(rig.admit().kind, 'rejected');
    rig.nowMs += 30_000;
    assert.ok(isProbe(rig.admit()));
    rig.end(lost, 'success');
    assert.equal(rig.breaker.kind, 'half-open');
  });

  it('never opens on failures in a row where the threshold is Infinity', () => {
    const rig = new WorkerBreakerRig({ ...defaults, consecutiveFailureThreshold: 'Infinity' });
    assert.equal(rig.script('F'.repeat(49)), 'closed');
    assert.equal(rig.script('F'), 'open');
  });

  it('takes the options of each call: a policy may change under way', () => {
    const rig = new WorkerBreakerRig();
    rig.script('FFF');
    rig.options = { ...defaults, consecutiveFailureThreshold: 4 };
    assert.equal(rig.script('F'), 'open');
  });

  it('names each option that breaks its rule', () => {
    const options: WorkerBreakerOptions = {
      consecutiveFailureThreshold: 0,
      failurePercent: Number.NaN,
      minSamples: 0,
      windowMs: 0,
      halfOpenAfterCalls: 0.5,
      openForMs: -1,
    };
    assert.throws(() => new WorkerBreaker().admit(options, 0), {
      kind: 'invalid-request',
      message:
        /consecutiveFailureThreshold .*failurePercent .*minSamples .*windowMs .*halfOpenAfterCalls .*openForMs /,
    });
  });
});

type Step =
  | { readonly kind: 'call' }
  | { readonly kind: 'end'; readonly pick: number; readonly end: 'success' | 'failure' | 'neutral' }
  | { readonly kind: 'wait'; readonly ms: number };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'call' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      pick: fc.nat(),
      end: fc.constantFrom('success' as const, 'failure' as const, 'neutral' as const),
    }),
  },
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(60) }),
);
const anyOptions = fc.record({
  consecutiveFailureThreshold: fc.integer({ min: 1, max: 4 }),
  failurePercent: fc.constantFrom(10, 50, 100),
  minSamples: fc.integer({ min: 1, max: 8 }),
  windowMs: fc.integer({ min: 1, max: 100 }),
  halfOpenAfterCalls: fc.integer({ min: 1, max: 4 }),
  openForMs: fc.nat(100),
});

describe('a worker breaker, for any interleaving of calls in flight', () => {
  it('admits one probe at a time, each after so many rejections and so much time', () => {
    fc.assert(
      fc.property(anyOptions, fc.array(anyStep, { maxLength: 120 }), (options, steps) => {
        const rig = new WorkerBreakerRig(options);
        const inFlight: ReturnType<WorkerBreakerRig['admit']>[] = [];
        let since = { rejected: 0, atMs: rig.nowMs };
        for (const step of steps) {
          const before = rig.breaker.kind;
          if (step.kind === 'wait') rig.nowMs += step.ms;
          if (step.kind === 'call') {
            const admission = rig.admit();
            inFlight.push(admission);
            if (admission.kind === 'rejected') since.rejected += 1;
            if (before !== 'closed' && admission.kind === 'admitted') {
              assert.ok(admission.probe);
              assert.ok(since.rejected >= options.halfOpenAfterCalls);
              assert.ok(rig.nowMs - since.atMs >= options.openForMs);
              since = { rejected: 0, atMs: rig.nowMs };
            }
          }
          if (step.kind !== 'end' || inFlight.length === 0) continue;
          const [ended] = inFlight.splice(step.pick % inFlight.length, 1);
          if (ended !== undefined) rig.end(ended, step.end);
          const opened = before !== 'open' && rig.breaker.kind === 'open';
          if (opened && step.end === 'failure') since = { rejected: 0, atMs: rig.nowMs };
          // a probe that ends neutral leaves the cooldown complete
          if (opened && step.end === 'neutral') since = { rejected: 4, atMs: -1_000 };
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
