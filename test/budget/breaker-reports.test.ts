import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Admission, cappedAttempts } from '../../src/budget/index.js';
import { BreakerRig } from '../support/breaker-rig.js';

type Report = {
  /** Where the fault was reported (notes/field-reports.md). */
  readonly reported: string;
  readonly claim: string;
  readonly check: () => void;
};

const options = { failureThreshold: 2, halfOpenAfterCalls: 2 } as const;

/** Returns a breaker whose next call is the probe. */
function cooled(): BreakerRig {
  const rig = new BreakerRig(options);
  rig.coolDown();
  return rig;
}

function isProbe(admission: Admission): boolean {
  return admission.kind === 'admitted' && admission.probe;
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
        return rig.state.kind;
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
      assert.equal(rig.state.kind, 'open');
      rig.call('success');
      assert.equal(rig.state.kind, 'closed');
    },
  },
  {
    reported: 'nodeshift/opossum#276',
    claim: 'one failed probe opens again, whatever the threshold',
    check: () => {
      const rig = new BreakerRig({ ...options, failureThreshold: 50 });
      rig.coolDown();
      rig.call('failure');
      assert.equal(rig.state.kind, 'open');
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
    claim: 'a probe that never settles is forfeited after as many rejections as the cooldown has',
    check: () => {
      const rig = cooled();
      const answers = Array.from({ length: 7 }, () => isProbe(rig.admit()));
      assert.deepEqual(answers, [true, false, false, true, false, false, true]);
    },
  },
  {
    reported: 'nodeshift/opossum#119',
    claim: 'of 100 calls at once in half-open exactly one runs',
    check: () => {
      const rig = new BreakerRig({ ...options, halfOpenAfterCalls: 100 });
      rig.coolDown();
      const admitted = Array.from({ length: 100 }, () => rig.admit()).filter(isProbe);
      assert.equal(admitted.length, 1);
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
      const rig = new BreakerRig(options);
      const slow = rig.admit();
      rig.trip();
      rig.end(slow, 'success');
      assert.equal(rig.state.kind, 'open');
    },
  },
  {
    reported: 'nodeshift/opossum#381, App-vNext/Polly#217 (half-open)',
    claim: 'a slow success from before the trip settles no probe',
    check: () => {
      const rig = new BreakerRig(options);
      const slow = rig.admit();
      rig.coolDown();
      rig.admit();
      rig.end(slow, 'success');
      assert.equal(rig.state.kind, 'half-open');
    },
  },
  {
    reported: 'nodeshift/opossum#381 (closed again)',
    claim: 'slow failures from before the trip trip nothing after the recovery',
    check: () => {
      const rig = new BreakerRig(options);
      const slow = [rig.admit(), rig.admit()];
      rig.coolDown();
      rig.call('success');
      for (const admission of slow) rig.end(admission, 'failure');
      assert.deepEqual([rig.state.kind, rig.failuresInARow], ['closed', 0]);
    },
  },
  {
    reported: 'sony/gobreaker#105, rubyist/circuitbreaker#42, tsouza/cerberus#738',
    claim: 'ten calls that their caller cancels trip nothing',
    check: () => assert.equal(new BreakerRig(options).script('XXXXXXXXXX'), 'closed'),
  },
  {
    reported: 'thomhurst/Kevlar#187',
    claim: 'a neutral end between failures resets no count',
    check: () => {
      const rig = new BreakerRig({ ...options, failureThreshold: 5 });
      assert.equal(rig.script('FFFFX'), 'closed');
      assert.equal(rig.script('F'), 'open');
    },
  },
  {
    reported: 'Shopify/semian#634',
    claim: 'ten thousand successes between two failures leave it closed',
    check: () => {
      assert.equal(new BreakerRig(options).script(`E${'S'.repeat(10_000)}E`), 'closed');
    },
  },
  {
    reported: 'App-vNext/Polly#131',
    claim: 'one success between two failures leaves it closed',
    check: () => assert.equal(new BreakerRig(options).script('ESE'), 'closed'),
  },
  {
    reported: 'connor4312/cockatiel#64',
    claim: 'idle time needs no window: failures in a row are the rule, whatever lies between',
    check: () => {
      const rig = new BreakerRig({ ...options, failureThreshold: 5 });
      rig.script('FFFFS');
      rig.nowMs += 300_000;
      assert.equal(rig.script('F'), 'closed');
    },
  },
  {
    reported: 'nodeshift/opossum#217',
    claim: 'a single failure leaves it closed',
    check: () => assert.equal(new BreakerRig(options).script('F'), 'closed'),
  },
  {
    reported: 'nodeshift/opossum#719, #658',
    claim: 'an open breaker that was restored from JSON probes and closes',
    check: () => {
      const rig = new BreakerRig(options);
      rig.trip();
      rig.admit();
      rig.restore();
      assert.equal(rig.admit().kind, 'rejected');
      rig.restore();
      assert.equal(rig.script('S'), 'closed');
    },
  },
  {
    reported: 'projectbeskar/virtrigaud#70 (rejections)',
    claim: 'rejected calls are no failures: five of them bring the probe, not a longer cooldown',
    check: () => {
      const rig = new BreakerRig({ ...options, halfOpenAfterCalls: 5 });
      rig.trip();
      const answers = Array.from({ length: 6 }, () => rig.admit().kind);
      assert.deepEqual(answers, [...Array(5).fill('rejected'), 'admitted']);
    },
  },
  {
    reported: 'jaseci-labs/jac#7909',
    claim: 'attempts are counted, not calls: the fifth failed attempt trips in the second call',
    check: () => {
      const rig = new BreakerRig({ ...options, failureThreshold: 5 });
      const calls = [rig.admit(), rig.admit()];
      const kinds = [0, 0, 0, 1, 1].map((call) => {
        const admission = calls[call];
        if (admission !== undefined) rig.end(admission, 'failure');
        return rig.state.kind;
      });
      assert.deepEqual(kinds, ['closed', 'closed', 'closed', 'closed', 'open']);
    },
  },
  {
    reported: 'App-vNext/Polly CircuitStateController',
    claim: 'a cancelled probe closes nothing',
    check: () => {
      const rig = cooled();
      rig.call('neutral');
      assert.notEqual(rig.state.kind, 'closed');
    },
  },
  {
    reported: 'temporalio/sdk-python#1773, temporalio/sdk-java#2254, temporalio/temporal#8563',
    claim: 'no retries is one attempt, never 0, which would mean no limit',
    check: () => {
      const none = { share: 0, failureThreshold: 1, failuresInARow: 5 };
      assert.equal(cappedAttempts(none), 1);
    },
  },
];

describe('faults reported in public', () => {
  for (const { reported, claim, check } of reports) it(`${reported}: ${claim}`, check);
});
