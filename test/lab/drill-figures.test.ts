import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderDrill } from '../../src/cli/drill/drill-text.js';
import { drillPage } from '../../src/lab/drill/drill-page.js';
import { type DrillPlan, mostTickets } from '../../src/lab/drill/drill-plan.js';
import type { DrillRequest, SideRecords, TicketRecord } from '../../src/lab/drill/drill-records.js';
import { drillResult } from '../../src/lab/drill/drill-result.js';
import type { SideTotals } from '../../src/lab/drill/measure.js';
import { readsOpen } from '../../src/lab/drill/watch-breaker.js';
import { renderChartSvg } from '../../src/pages/chart.js';
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
    const calls = (perSecond: readonly number[], fromMs: number): readonly DrillRequest[] =>
      perSecond.flatMap((count, second) =>
        Array.from({ length: count }, () =>
          request('a/x', { arrivedAtMs: fromMs + second * 1_000, leftAtMs: 90 }),
        ),
      );
    const rates: readonly (readonly [readonly number[], number])[] = [
      [[12, 12, 12, 0, 0, 0, 12, 12, 12, 0, 0, 0, 12], 0],
      [[12, 20, 20, 20, 20, 12], 1],
      [[20, 20, 20, 0, 0, 0, 20, 20, 20, 0, 0, 0, 20, 20, 20], 3],
    ];
    for (const [perSecond, waves] of rates) {
      const requests = calls(perSecond, plan.calmMs);
      assert.equal(totalsOf({ requests }).waves, waves, `${perSecond}`);
    }
  });

  it('count no wave of calm, which no retry has made', () => {
    const requests = Array.from({ length: 60 }, () => request('a/x', { arrivedAtMs: 2_000 }));
    assert.equal(totalsOf({ requests }).waves, 0);
  });

  it('are those of the largest drill, too', () => {
    const tickets = Array.from({ length: mostTickets }, (_, index) =>
      ticket(`${index}`, { startedAtMs: index, endedAtMs: index + 1 }),
    );
    const requests = tickets.flatMap(({ ticket: name }) =>
      ['look', 'decide', 'pay', 'write', 'write', 'write'].map((tool) =>
        request(`${name}/${tool}`),
      ),
    );
    assert.equal(totalsOf({ tickets, requests }).calls, 6 * mostTickets);
  });

  it('show a breaker that was open for a part of a second', () => {
    const breaker = [
      { atMs: 13_100, isOpen: true },
      { atMs: 13_900, isOpen: false },
      { atMs: 15_900, isOpen: true },
      { atMs: 17_100, isOpen: false },
    ];
    const [only] = drillResult(plan, [side({ breaker })]).sides;
    const open = only?.seconds.filter(({ isBreakerOpen }) => isBreakerOpen);
    assert.deepEqual(
      open?.map(({ second }) => second),
      [13, 15, 16, 17],
    );
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

const seen = side({
  tickets: [
    ticket('a'),
    ticket('b', { end: 'degraded' }),
    ticket('c', { end: 'hung', endedAtMs: null }),
  ],
  requests: [request('a/x'), request('a/x', { attempt: 2, arrivedAtMs: 15_000, leftAtMs: null })],
  breaker: [{ atMs: 20_000, isOpen: true }],
});
const result = drillResult(plan, [seen, { ...seen, id: 'plain', breaker: [] }]);
const page = drillPage(result);

describe('the text of a drill', () => {
  it('says how many bounds could not be judged', () => {
    const own = result.sides[0]?.verdicts ?? [];
    const unjudged = own.filter(({ kind }) => kind === 'unjudged').length;
    assert.ok(unjudged > 0);
    const text = renderDrill(result, (_, words) => words);
    assert.match(text, new RegExp(`; ${unjudged} of 7 bounds could not be judged\\.$`));
  });
});

describe('the plots of a drill', () => {
  const charts = page.sections
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.kind === 'chart' ? [block.chart] : []));

  it('show their words whole, wide and narrow', async () => {
    for (const chart of charts) {
      assert.doesNotMatch(await renderChartSvg(chart), /…/, chart.title);
      const narrow = await renderChartSvg(chart, { widthPx: 350, hasTitle: false });
      assert.doesNotMatch(narrow, /…/, chart.title);
    }
  });

  it('give each end of a ticket one colour, whichever of them came', async () => {
    const ends = charts.find(({ title }) => title.startsWith('How tickets ended'));
    assert.ok(ends);
    const svg = await renderChartSvg(ends);
    for (const end of ['1 in full', '2 degraded', '3 failed', '4 hung']) {
      assert.ok(svg.includes(`>${end}<`), end);
    }
  });
});

describePage('a page of a drill', () => renderPage(page));
