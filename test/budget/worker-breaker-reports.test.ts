import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attemptEnds } from '../../src/budget/index.js';
import { defaults, isProbe, WorkerBreakerRig } from '../support/worker-breaker-rig.js';

type Report = {
  /** Where the fault was reported (notes/field-reports.md). */
  readonly reported: string;
  readonly claim: string;
  readonly check: () => void;
};

/** Returns a breaker whose next call is the probe. */
function cooled(options = defaults): WorkerBreakerRig {
  const rig = new WorkerBreakerRig(options);
  rig.coolDown();
  return rig;
}

const reports: readonly Report[] = [
  {
    reported: 'resilience4j/resilience4j#544',
    claim: 'a probe that ends in an ignored error gives its place to the next call',
    check: () => {
      const rig = cooled();
      rig.call('neutral');
      assert.ok(isProbe(rig.admit()));
    },
  },
  {
    reported: 'App-vNext/Polly#1979, #311, #717',
    claim: 'a probe that ends in an unforeseen error leaves half-open, however it is counted',
    check: () => {
      const kinds = (['neutral', 'failure', 'success'] as const).map((end) => {
        const rig = cooled();
        rig.call(end);
        return rig.breaker.kind;
      });
      assert.deepEqual(kinds, ['open', 'open', 'closed']);
    },
  },
  {
    reported: 'nodeshift/opossum#388',
    claim: 'a probe whose error is filtered neither closes the circuit nor wedges it',
    check: () => {
      const rig = cooled();
      rig.call('neutral');
      assert.equal(rig.breaker.kind, 'open');
      rig.call('success');
      assert.equal(rig.breaker.kind, 'closed');
    },
  },
  {
    reported: 'nodeshift/opossum#276',
    claim: 'one failed probe opens again, however few samples there are',
    check: () => {
      const rig = cooled({ ...defaults, minSamples: 1_000 });
      rig.call('failure');
      assert.equal(rig.breaker.kind, 'open');
    },
  },
  {
    reported: 'Netflix/Hystrix#1621, #674, #2005',
    claim: 'cancelled and refused probes restart no cooldown',
    check: () => {
      const rig = cooled();
      for (let round = 0; round < 5; round++) {
        const probe = rig.admit();
        assert.ok(isProbe(probe));
        rig.end(probe, 'neutral');
      }
    },
  },
  {
    reported: 'diegosouzapw/OmniRoute#13836, getnora-io/nora#585',
    claim: 'a probe that never settles is forfeited after as much as the cooldown takes',
    check: () => {
      const rig = cooled();
      const answers = Array.from({ length: 9 }, () => {
        const answer = isProbe(rig.admit());
        rig.nowMs += 10_000;
        return answer;
      });
      assert.deepEqual(answers.map(Number), [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    },
  },
  {
    reported: 'nodeshift/opossum#119',
    claim: 'of 100 calls at once in half-open exactly one runs, for the whole worker',
    check: () => {
      const rig = cooled();
      const answers = Array.from({ length: 100 }, () => rig.admit());
      assert.equal(answers.filter(({ kind }) => kind === 'admitted').length, 1);
    },
  },
  {
    reported: 'projectbeskar/virtrigaud#70 (probes)',
    claim: 'the call that makes it half-open is the probe',
    check: () => {
      const rig = cooled();
      assert.deepEqual([isProbe(rig.admit()), rig.admit().kind], [true, 'rejected']);
    },
  },
  {
    reported: 'failsafe-lib/failsafe#391',
    claim: 'a probe that is given back twice makes room for one probe',
    check: () => {
      const rig = cooled();
      const probe = rig.admit();
      rig.end(probe, 'neutral');
      rig.end(probe, 'neutral');
      assert.deepEqual([isProbe(rig.admit()), rig.admit().kind], [true, 'rejected']);
    },
  },
  {
    reported: 'nodeshift/opossum#381, App-vNext/Polly#217 (open)',
    claim: 'a slow success from before the trip leaves it open',
    check: () => {
      const rig = new WorkerBreakerRig();
      const slow = rig.admit();
      rig.trip();
      rig.end(slow, 'success');
      assert.equal(rig.breaker.kind, 'open');
    },
  },
  {
    reported: 'nodeshift/opossum#381, App-vNext/Polly#217 (half-open)',
    claim: 'a slow success from before the trip settles no probe',
    check: () => {
      const rig = new WorkerBreakerRig();
      const slow = rig.admit();
      rig.coolDown();
      rig.admit();
      rig.end(slow, 'success');
      assert.equal(rig.breaker.kind, 'half-open');
    },
  },
  {
    reported: 'nodeshift/opossum#381 (closed again)',
    claim: 'slow failures from before the trip trip nothing after the recovery',
    check: () => {
      const rig = new WorkerBreakerRig();
      const slow = Array.from({ length: 20 }, () => rig.admit());
      rig.coolDown();
      rig.call('success');
      for (const admission of slow) rig.end(admission, 'failure');
      assert.equal(rig.breaker.kind, 'closed');
    },
  },
  {
    reported: 'sony/gobreaker#105, rubyist/circuitbreaker#42, tsouza/cerberus#738',
    claim: 'calls that their caller cancels trip nothing and are no samples of the share',
    check: () => {
      const rig = new WorkerBreakerRig();
      assert.equal(rig.script('X'.repeat(100)), 'closed');
      assert.equal(rig.script('FSF'.repeat(10)), 'closed', '30 samples are too few to tell');
    },
  },
  {
    reported: 'thomhurst/Kevlar#187',
    claim: 'a neutral end between failures resets no count',
    check: () => {
      const rig = new WorkerBreakerRig();
      assert.equal(rig.script('FFFFX'), 'closed');
      assert.equal(rig.script('F'), 'open');
    },
  },
  {
    reported: 'Shopify/semian#634',
    claim: 'ten thousand successes between two failures leave it closed',
    check: () => {
      const rig = new WorkerBreakerRig({ ...defaults, consecutiveFailureThreshold: 2 });
      assert.equal(rig.script(`E${'S'.repeat(10_000)}E`, 0), 'closed');
    },
  },
  {
    reported: 'App-vNext/Polly#131',
    claim: 'one success between two failures leaves it closed',
    check: () => {
      const rig = new WorkerBreakerRig({ ...defaults, consecutiveFailureThreshold: 2 });
      assert.equal(rig.script('ESE'), 'closed');
    },
  },
  {
    reported: 'connor4312/cockatiel#64 (share)',
    claim: 'four failures, an idle gap and one more are one sample in the window',
    check: () => {
      const figures = { failurePercent: 20, minSamples: 5, windowMs: 5_000 };
      const rig = new WorkerBreakerRig({
        ...{ ...defaults, ...figures },
        consecutiveFailureThreshold: 'Infinity',
      });
      assert.equal(rig.script('FFFF', 1_000), 'closed');
      rig.nowMs += 300_000;
      assert.equal(rig.script('F'), 'closed');
    },
  },
  {
    reported: 'connor4312/cockatiel#64 (row)',
    claim: 'an idle gap ends a row of failures as well',
    check: () => {
      const rig = new WorkerBreakerRig();
      rig.script('FFFF', 1_000);
      rig.nowMs += 300_000;
      assert.equal(rig.script('FFFF', 1_000), 'closed');
      assert.equal(rig.script('F', 9_000), 'open');
    },
  },
  {
    reported: 'nodeshift/opossum#217',
    claim: 'a single failure leaves it closed, though it is all that there was',
    check: () => assert.equal(new WorkerBreakerRig().script('F'), 'closed'),
  },
  {
    reported: 'nodeshift/opossum#719, #658',
    claim: 'no timer is needed to leave open: calls and the time that they bring are enough',
    check: () => {
      const rig = new WorkerBreakerRig();
      rig.trip();
      rig.nowMs += 86_400_000;
      assert.equal(rig.script('SSSS', 0), 'closed');
    },
  },
  {
    reported: 'projectbeskar/virtrigaud#70 (rejections)',
    claim: 'rejected calls are no failures: they lengthen no cooldown',
    check: () => {
      const rig = new WorkerBreakerRig();
      rig.trip();
      for (let call = 0; call < 11_500; call++) rig.admit();
      rig.nowMs += 30_000;
      assert.ok(isProbe(rig.admit()));
    },
  },
  {
    reported: 'jaseci-labs/jac#7909',
    claim: 'attempts are counted, not calls: two calls of three attempts trip it with the fifth',
    check: () => {
      const rig = new WorkerBreakerRig();
      assert.equal(rig.script('FFF'), 'closed');
      assert.equal(rig.script('F'), 'closed');
      assert.equal(rig.script('F'), 'open');
    },
  },
  {
    reported: 'App-vNext/Polly CircuitStateController',
    claim: 'a cancelled probe closes nothing',
    check: () => {
      const rig = cooled();
      rig.call(attemptEnds.cancelled.workerBreaker === 'neutral' ? 'neutral' : 'failure');
      assert.equal(rig.breaker.kind, 'open');
    },
  },
];

describe("faults reported in public, for a worker's breaker", () => {
  for (const { reported, claim, check } of reports) it(`${reported}: ${claim}`, check);
});
