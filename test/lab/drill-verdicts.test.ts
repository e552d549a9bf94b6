import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type DrillPlan,
  mostConcurrent,
  phaseAt,
  ticketCount,
} from '../../src/lab/drill/drill-plan.js';
import type { SideTotals } from '../../src/lab/drill/measure.js';
import { judge, type VerdictName } from '../../src/lab/drill/verdicts.js';

const plan: DrillPlan = {
  ratePerSecond: 3,
  seed: 1,
  calmMs: 12_000,
  faultMs: 20_000,
  recoveryMs: 5_000,
  networkFaults: false,
};

describe('verdicts of a drill', () => {
  const good: SideTotals = {
    tickets: 100,
    ends: { ok: 60, degraded: 40, failed: 0, hung: 0 },
    p50Ms: 300,
    p95Ms: 9_000,
    calmP95Ms: 250,
    calls: 300,
    retries: 10,
    peakCallsPerSecond: 14,
    meanCallsPerSecond: 8,
    peakToMean: 1.75,
    inFlightPeak: 36,
    effects: 60,
    doubledEffects: 0,
    lostEffects: 0,
    untoldEffects: 1,
    tokensUseful: 1_000,
    tokensWasted: 10,
    breakerTripMs: 15_000,
    callsPerTicketInCalm: 4,
    loadInFault: 1.12,
    samplesBeforeFault: 100,
    waves: 1,
  };
  const rows: readonly {
    readonly name: VerdictName;
    readonly totals: Partial<SideTotals>;
    readonly kind: string;
  }[] = [
    { name: 'the breaker trips', totals: { breakerTripMs: 15_001 }, kind: 'fail' },
    { name: 'the breaker trips', totals: { breakerTripMs: null }, kind: 'fail' },
    {
      name: 'users are answered',
      totals: { ends: { ok: 99, degraded: 0, failed: 0, hung: 1 } },
      kind: 'fail',
    },
    {
      name: 'users are answered',
      totals: { ends: { ok: 98, degraded: 1, failed: 1, hung: 0 } },
      kind: 'fail',
    },
    {
      name: 'users are answered',
      totals: { ends: { ok: 100, degraded: 0, failed: 0, hung: 0 } },
      kind: 'unjudged',
    },
    {
      name: 'users are answered',
      totals: { ends: { ok: 99, degraded: 0, failed: 0, hung: 1 }, calmP95Ms: 2_001 },
      kind: 'unjudged',
    },
    {
      name: 'the breaker trips',
      totals: { breakerTripMs: null, calmP95Ms: 2_001 },
      kind: 'unjudged',
    },
    { name: 'no sawtooth', totals: { waves: 2, calmP95Ms: 2_001 }, kind: 'unjudged' },
    { name: 'no effect is doubled', totals: { doubledEffects: 1, calmP95Ms: 2_001 }, kind: 'fail' },
    { name: 'no effect is lost', totals: { lostEffects: 1 }, kind: 'fail' },
    { name: 'the downstream is spared', totals: { loadInFault: 1.13 }, kind: 'fail' },
    {
      name: 'the downstream is spared',
      totals: { samplesBeforeFault: 99, loadInFault: 2 },
      kind: 'unjudged',
    },
    { name: 'no sawtooth', totals: { waves: 2 }, kind: 'fail' },
    {
      name: 'users are answered',
      totals: { ends: { ok: 0, degraded: 100, failed: 0, hung: 0 } },
      kind: 'fail',
    },
    { name: 'the downstream is spared', totals: { loadInFault: 0 }, kind: 'unjudged' },
    { name: 'connections stay bounded', totals: { inFlightPeak: 37 }, kind: 'fail' },
  ];

  it('pass at every bound', () => {
    assert.deepEqual(
      judge(plan, good).map(({ kind }) => kind),
      Array.from({ length: 7 }, () => 'pass'),
    );
  });

  for (const { name, totals, kind } of rows) {
    it(`say ${kind} of "${name}" at ${JSON.stringify(totals)}, and nothing else`, () => {
      const said = judge(plan, { ...good, ...totals });
      assert.deepEqual(
        said.filter((one) => one.kind !== 'pass').map((one) => [one.name, one.kind]),
        [[name, kind]],
      );
    });
  }

  it('say nothing of effects where there was none', () => {
    const unjudged = judge(plan, { ...good, effects: 0 }).filter(({ kind }) => kind !== 'pass');
    assert.deepEqual(
      unjudged.map(({ name, kind }) => `${name}: ${kind}`),
      ['no effect is doubled: unjudged', 'no effect is lost: unjudged'],
    );
  });

  it('excuse a side only where the quicker side is slow in calm, too', () => {
    const slow = { ...good, calmP95Ms: 9_000, waves: 2 };
    const kindOf = (calmP95Ms: number) =>
      judge(plan, slow, calmP95Ms).find(({ name }) => name === 'no sawtooth')?.kind;
    assert.equal(kindOf(500), 'fail');
    assert.equal(kindOf(2_001), 'unjudged');
  });

  it('leave connections unjudged where Toxiproxy holds them, which the downstream does not see', () => {
    const said = judge({ ...plan, networkFaults: true }, good).filter(
      ({ kind }) => kind !== 'pass',
    );
    assert.deepEqual(
      said.map(({ name, kind }) => [name, kind]),
      [['connections stay bounded', 'unjudged']],
    );
  });

  it('leave a breaker unjudged that had less than 15 s to trip', () => {
    const [first] = judge({ ...plan, faultMs: 14_999 }, { ...good, breakerTripMs: null });
    assert.equal(first?.kind, 'unjudged');
  });
});

describe('the plan of a drill', () => {
  it('has a ticket for each part of a second, one at least', () => {
    assert.equal(ticketCount(plan), 111);
    assert.equal(ticketCount({ ...plan, calmMs: 0, faultMs: 1, recoveryMs: 0 }), 1);
  });

  it('knows the phase of each moment', () => {
    const moments = [0, 11_999, 12_000, 31_999, 32_000, 90_000];
    assert.deepEqual(
      moments.map((atMs) => phaseAt(plan, atMs)),
      ['calm', 'calm', 'fault', 'fault', 'recovery', 'recovery'],
    );
  });

  it('bounds the calls in flight by what arrives while an attempt may last', () => {
    assert.equal(mostConcurrent(plan), 36);
  });
});
