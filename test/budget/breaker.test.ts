import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  admitCall,
  type BreakerOptions,
  type BreakerState,
  type BreakerTrace,
  breakerDefaults,
  cappedAttempts,
  initialBreaker,
  recordEnd,
  type TraceOptions,
  traceBreaker,
} from '../../src/budget/index.js';
import { BreakerRig } from '../support/breaker-rig.js';
import { readVectors } from '../support/vectors.js';

type BreakerVector = {
  readonly options: TraceOptions;
  readonly calls: readonly boolean[];
  readonly trace: BreakerTrace;
};

const { breakers } = readVectors<{ readonly breakers: readonly BreakerVector[] }>('planner.json');
const options: BreakerOptions = { failureThreshold: 3, halfOpenAfterCalls: 2 };

describe('the handed breaker traces', () => {
  it('are 60', () => assert.equal(breakers.length, 60));

  breakers.forEach(({ options: given, calls, trace }, index) => {
    it(`trace ${index} comes out exactly`, () => {
      assert.deepEqual(traceBreaker(given, calls), trace);
    });
  });
});

describe('traceBreaker', () => {
  it('leaves a breaker without calls closed', () => {
    assert.deepEqual(traceBreaker(options, []), {
      allowed: 0,
      rejected: 0,
      attempts: 0,
      finalState: 'closed',
      states: [],
    });
  });

  for (const failureThreshold of [Number.POSITIVE_INFINITY, 'Infinity'] as const) {
    it(`never opens at a threshold of ${typeof failureThreshold} Infinity`, () => {
      const calls = Array.from({ length: 1_000 }, () => false);
      assert.equal(traceBreaker({ ...options, failureThreshold }, calls).allowed, 1_000);
    });
  }

  it('takes no probe by time, even with the options of a live breaker', () => {
    const calls = [false, false, false, true, true, true];
    assert.deepEqual(traceBreaker(breakerDefaults, calls).states.slice(2), Array(4).fill('open'));
  });

  it('refuses outcomes that are neither true nor false', () => {
    // The type forbids it; a script from a file may hold it.
    const calls = [true, 'yes'] as unknown as readonly boolean[];
    assert.throws(() => traceBreaker(options, calls), { field: 'calls[1]' });
  });

  it('refuses a script that is no list', () => {
    // As above.
    const calls = undefined as unknown as readonly boolean[];
    assert.throws(() => traceBreaker(options, calls), { field: 'calls' });
  });
});

describe('a breaker', () => {
  it('starts closed', () => {
    assert.deepEqual(initialBreaker(), { generation: 0, kind: 'closed', failuresInARow: 0 });
  });

  it('opens on the third failure in a row', () => {
    const rig = new BreakerRig(options);
    const kinds = [1, 2, 3].map(() => {
      rig.call('failure');
      return rig.state.kind;
    });
    assert.deepEqual(kinds, ['closed', 'closed', 'open']);
  });

  it('says how many calls are still rejected before the probe', () => {
    const rig = new BreakerRig({ ...options, halfOpenAfterCalls: 3 });
    rig.trip();
    const left = [1, 2, 3]
      .map(() => rig.admit())
      .map((answer) => {
        return answer.kind === 'rejected' ? answer.rejectionsLeft : 'admitted';
      });
    assert.deepEqual(left, [2, 1, 0]);
  });

  it('closes when the probe succeeds', () => {
    const rig = new BreakerRig(options);
    rig.coolDown();
    rig.call('success');
    assert.deepEqual([rig.state.kind, rig.failuresInARow], ['closed', 0]);
  });

  it('opens again with a fresh cooldown when the probe fails', () => {
    const rig = new BreakerRig(options);
    rig.coolDown();
    rig.call('failure');
    assert.deepEqual(
      [rig.admit().kind, rig.admit().kind, rig.admit().kind],
      ['rejected', 'rejected', 'admitted'],
    );
  });

  it('probes with the next call when a probe ends neutral', () => {
    const rig = new BreakerRig(options);
    rig.coolDown();
    rig.call('neutral');
    assert.deepEqual(rig.admit(), { kind: 'admitted', generation: 4, probe: true });
  });

  it('raises the generation when a probe is forfeited', () => {
    const rig = new BreakerRig(options);
    rig.coolDown();
    const first = rig.admit();
    rig.admit();
    rig.admit();
    const second = rig.admit();
    assert.deepEqual(
      [first, second],
      [
        { kind: 'admitted', generation: 2, probe: true },
        { kind: 'admitted', generation: 3, probe: true },
      ],
    );
  });

  it('ignores what a forfeited probe says in the end', () => {
    const rig = new BreakerRig(options);
    rig.coolDown();
    const forfeited = rig.admit();
    rig.admit();
    rig.admit();
    rig.admit();
    rig.end(forfeited, 'success');
    assert.equal(rig.state.kind, 'half-open');
  });

  it('counts a late failure of the same generation', () => {
    const rig = new BreakerRig(options);
    const slow = rig.admit();
    rig.call('failure');
    rig.call('failure');
    rig.end(slow, 'failure');
    assert.equal(rig.state.kind, 'open');
  });

  it('probes after probeAfterMs where fewer calls were rejected', () => {
    const rig = new BreakerRig({ ...options, halfOpenAfterCalls: 50, probeAfterMs: 30_000 });
    rig.trip();
    rig.nowMs += 29_999;
    const early = rig.admit().kind;
    rig.nowMs += 1;
    assert.deepEqual([early, rig.admit().kind], ['rejected', 'admitted']);
  });

  it('probes after halfOpenAfterCalls rejections where less time has passed', () => {
    const rig = new BreakerRig({ ...options, probeAfterMs: 30_000 });
    rig.trip();
    assert.deepEqual(
      [rig.admit().kind, rig.admit().kind, rig.admit().kind],
      ['rejected', 'rejected', 'admitted'],
    );
  });

  it('measures probeAfterMs anew from a failed probe', () => {
    const rig = new BreakerRig({ ...options, halfOpenAfterCalls: 50, probeAfterMs: 30_000 });
    rig.trip();
    rig.nowMs += 30_000;
    rig.call('failure');
    rig.nowMs += 29_999;
    assert.equal(rig.admit().kind, 'rejected');
  });

  it('keeps rejecting when the clock steps back', () => {
    const rig = new BreakerRig({ ...options, probeAfterMs: 30_000 });
    rig.trip();
    rig.nowMs -= 1e9;
    assert.equal(rig.admit().kind, 'rejected');
  });

  it('opens on the next failure where the threshold was lowered below the count', () => {
    const state: BreakerState = { generation: 0, kind: 'closed', failuresInARow: 4 };
    const after = recordEnd(state, options, { generation: 0, end: 'failure', nowMs: 0 });
    assert.equal(after.kind, 'open');
  });

  it('leaves the state it is given as it was', () => {
    const state = Object.freeze(initialBreaker());
    recordEnd(state, options, { generation: 0, end: 'failure', nowMs: 0 });
    assert.deepEqual(state, initialBreaker());
  });
});

describe('invalid options of a breaker', () => {
  const rows: readonly { readonly field: string; readonly values: readonly unknown[] }[] = [
    { field: 'failureThreshold', values: [0, -1, 0.5, Number.NaN, '3', undefined] },
    { field: 'halfOpenAfterCalls', values: [0, 1.5, Number.POSITIVE_INFINITY, undefined] },
    { field: 'probeAfterMs', values: [0, -1, Number.NaN, Number.POSITIVE_INFINITY, null] },
  ];
  for (const { field, values } of rows) {
    for (const value of values) {
      it(`are refused by the name ${field} (${typeof value} ${String(value)})`, () => {
        // The types forbid most of these; a policy from a file may hold them.
        const given = { ...options, [field]: value } as BreakerOptions;
        const end = { generation: 0, end: 'success', nowMs: 0 } as const;
        assert.throws(() => admitCall(initialBreaker(), given, 0), { field });
        assert.throws(() => recordEnd(initialBreaker(), given, end), { field });
      });
    }
  }

  it('are refused where they are missing', () => {
    // As above.
    const none = undefined as unknown as BreakerOptions;
    assert.throws(() => admitCall(initialBreaker(), none, 0), { code: 'invalid-request' });
  });

  it('list every fault', () => {
    assert.throws(
      () => traceBreaker({ failureThreshold: 0, halfOpenAfterCalls: 0 }, []),
      /failureThreshold must be a positive integer, got 0; halfOpenAfterCalls must be/,
    );
  });

  it('include a time that is no number', () => {
    assert.throws(() => admitCall(initialBreaker(), options, Number.NaN), { field: 'nowMs' });
  });
});

describe('cappedAttempts', () => {
  const rows = [
    { share: 0, failureThreshold: 3, failuresInARow: 0, attempts: 1 },
    { share: 2, failureThreshold: 3, failuresInARow: 0, attempts: 3 },
    { share: 2, failureThreshold: 3, failuresInARow: 1, attempts: 2 },
    { share: 2, failureThreshold: 3, failuresInARow: 2, attempts: 1 },
    { share: 2, failureThreshold: 3, failuresInARow: 9, attempts: 1 },
    { share: 5, failureThreshold: 1, failuresInARow: 0, attempts: 1 },
    { share: 5, failureThreshold: 'Infinity', failuresInARow: 9, attempts: 6 },
    { share: 5, failureThreshold: Number.POSITIVE_INFINITY, failuresInARow: 9, attempts: 6 },
  ] as const;
  for (const { attempts, ...cap } of rows) {
    it(`allows ${attempts} for ${JSON.stringify(cap)}`, () => {
      assert.equal(cappedAttempts(cap), attempts);
    });
  }

  for (const share of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses a share of ${share}`, () => {
      const cap = { share, failureThreshold: 3, failuresInARow: 0 };
      assert.throws(() => cappedAttempts(cap), { field: 'share' });
    });
  }
});
