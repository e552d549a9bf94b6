import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drillPage } from '../../src/lab/drill/drill-page.js';
import {
  type DrillPlan,
  mostConcurrent,
  phaseAt,
  ticketCount,
} from '../../src/lab/drill/drill-plan.js';
import type { DrillRequest, SideRecords, TicketRecord } from '../../src/lab/drill/drill-records.js';
import { drillResult } from '../../src/lab/drill/drill-result.js';
import type { SideTotals } from '../../src/lab/drill/measure.js';
import { judge, type VerdictName } from '../../src/lab/drill/verdicts.js';
import { readsOpen } from '../../src/lab/drill/watch-breaker.js';
import { renderPage } from '../../src/pages/render-page.js';
import { describePage } from '../support/describe-page.js';

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

  it('leave a breaker unjudged that had less than 15 s to trip', () => {
    const [first] = judge({ ...plan, faultMs: 14_999 }, { ...good, breakerTripMs: null });
    assert.equal(first?.kind, 'unjudged');
  });
});

describe('verdicts of a drill through Toxiproxy', () => {
  it('leave connections unjudged, which the downstream does not see', () => {
    const { sides } = drillResult({ ...plan, networkFaults: true }, [side({})]);
    const said = sides[0]?.verdicts.find(({ name }) => name === 'connections stay bounded');
    assert.equal(said?.kind, 'unjudged');
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

const ticket = (name: string, more: Partial<TicketRecord> = {}): TicketRecord => ({
  ticket: name,
  startedAtMs: 13_000,
  endedAtMs: 14_000,
  end: 'ok',
  isPaid: true,
  ...more,
});
const request = (callId: string, more: Partial<DrillRequest> = {}): DrillRequest => ({
  callId,
  attempt: 1,
  status: '200',
  hadEffect: false,
  tokens: 0,
  arrivedAtMs: 13_100,
  leftAtMs: 13_200,
  ...more,
});
const side = (more: Partial<SideRecords>): SideRecords => ({
  id: 'holdfast',
  tickets: [],
  requests: [],
  breaker: [],
  ...more,
});
const totalsOf = (more: Partial<SideRecords>): SideTotals => {
  const [only] = drillResult(plan, [side(more)]).sides;
  assert.ok(only);
  return only.totals;
};

describe('figures of a drill', () => {
  it('count an effect that came twice, one that was only told of, and one that nobody was told of', () => {
    const paid = { hadEffect: true };
    const { effects, doubledEffects, lostEffects, untoldEffects } = totalsOf({
      tickets: [ticket('a'), ticket('b'), ticket('c', { isPaid: false })],
      requests: [
        request('a/pay', paid),
        request('a/pay', { ...paid, attempt: 2 }),
        request('c/pay', paid),
      ],
    });
    assert.deepEqual(
      { effects, doubledEffects, lostEffects, untoldEffects },
      { effects: 3, doubledEffects: 1, lostEffects: 1, untoldEffects: 1 },
    );
  });

  it('count as useful the first answer of a call that arrived', () => {
    const { tokensUseful, tokensWasted } = totalsOf({
      requests: [
        request('a/write', { tokens: 10, status: 'dropped' }),
        request('a/write', { tokens: 10, attempt: 2 }),
        request('a/write', { tokens: 10, attempt: 3 }),
      ],
    });
    assert.deepEqual({ tokensUseful, tokensWasted }, { tokensUseful: 10, tokensWasted: 20 });
  });

  it('hold the calls of the tickets of the fault against four a ticket', () => {
    const calls = Array.from({ length: 9 }, (_, index) => request(`a/${index}`));
    const early = ticket('early', { startedAtMs: 1_000, endedAtMs: 2_000 });
    const tickets = [early, ticket('a'), ticket('b')];
    const { loadInFault, callsPerTicketInCalm } = totalsOf({
      tickets,
      requests: [...calls, request('early/x', { arrivedAtMs: 1_100 })],
    });
    assert.deepEqual([loadInFault, callsPerTicketInCalm], [1.125, 1]);
  });

  it('find the most requests that are held at once', () => {
    const held = (arrivedAtMs: number, leftAtMs: number | null) =>
      request('a/x', { arrivedAtMs, leftAtMs });
    const { inFlightPeak } = totalsOf({
      requests: [
        held(100, 300),
        held(200, 400),
        held(300, 500),
        held(350, null),
        held(9_000, 9_001),
      ],
    });
    assert.equal(inFlightPeak, 3);
  });

  it('count waves, not the breaker that lets calls pass again', () => {
    const calls = (perSecond: readonly number[]): readonly DrillRequest[] =>
      perSecond.flatMap((count, second) =>
        Array.from({ length: count }, () =>
          request('a/x', { arrivedAtMs: second * 1_000, leftAtMs: 90 }),
        ),
      );
    const rates: readonly (readonly [readonly number[], number])[] = [
      [[12, 12, 12, 0, 0, 0, 12, 12, 12, 0, 0, 0, 12], 0],
      [[12, 20, 20, 20, 20, 12], 1],
      [[20, 20, 20, 0, 0, 0, 20, 20, 20, 0, 0, 0, 20, 20, 20], 3],
    ];
    for (const [perSecond, waves] of rates) {
      assert.equal(totalsOf({ requests: calls(perSecond) }).waves, waves, `${perSecond}`);
    }
  });

  it('take the first trip after the fault began', () => {
    const breaker = [
      { atMs: 500, isOpen: true },
      { atMs: 600, isOpen: false },
      { atMs: 20_500, isOpen: true },
    ];
    assert.equal(totalsOf({ breaker }).breakerTripMs, 8_500);
  });

  it('read an open breaker from the metrics of a worker', () => {
    const line = (value: number): string =>
      `# TYPE x gauge\nholdfast_worker_breaker_open{downstream="shop"} ${value}\nother 1`;
    assert.deepEqual([readsOpen(line(0)), readsOpen(line(1)), readsOpen('')], [false, true, false]);
  });
});

describePage('a page of a drill', () => {
  const seen = side({
    tickets: [
      ticket('a'),
      ticket('b', { end: 'degraded' }),
      ticket('c', { end: 'hung', endedAtMs: null }),
    ],
    requests: [request('a/x'), request('a/x', { attempt: 2, arrivedAtMs: 15_000, leftAtMs: null })],
    breaker: [{ atMs: 20_000, isOpen: true }],
  });
  return renderPage(drillPage(drillResult(plan, [seen, { ...seen, id: 'plain', breaker: [] }])));
});
