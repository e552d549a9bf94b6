import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linksInto } from '../../src/lab/demo/report.js';
import type { TicketEnd } from '../../src/lab/demo/ticket-end.js';
import { effectsOf, totalsOf } from '../../src/lab/demo/totals.js';
import { createUpstream, type UpstreamStats } from '../../src/lab/upstream/index.js';

const calm: UpstreamStats = createUpstream().stats();
const call = (
  id: string,
  statuses: readonly string[],
  effects = 0,
): UpstreamStats['calls'][number] => ({
  route: 'emails',
  id,
  keys: [],
  attempts: statuses.length,
  effects,
  replays: 0,
  statuses,
  budgets: [],
});
const end = (ticket: string, facts: Partial<TicketEnd> = {}): TicketEnd => ({
  ticket,
  workflowId: ticket,
  runId: 'run',
  outcome: 'answered',
  degraded: [],
  attempts: 1,
  retries: 0,
  durationMs: 1_000,
  ...facts,
});
const stats: UpstreamStats = {
  ...calm,
  totals: { ...calm.totals, requests: 7, effects: 3, doubledEffects: 1 },
  calls: [
    call('a/send_reply', ['500', '202', '202'], 2),
    call('a/look_up_order', ['404']),
    call('b/send_reply', ['202'], 1),
    call('b/classify_ticket', ['503', '503']),
  ],
};

describe('the totals of a column', () => {
  const ends = [
    end('a'),
    end('b', { degraded: ['classify'], durationMs: 3_000 }),
    end('c', { outcome: 'failed', durationMs: 9_000 }),
  ];
  const totals = totalsOf(ends, stats);

  it('count a degraded ticket as answered and apart', () => {
    assert.deepEqual([totals.answered, totals.degraded, totals.success], [2, 1, 0.6667]);
  });
  it('take requests over logical calls as the amplification', () => {
    assert.equal(totals.retryAmplification, 1.75);
  });
  it('call every request wasted beyond the one that answered its call', () => {
    assert.equal(totals.wastedCalls, 4);
  });
  it('take the duration of failed tickets into the p95', () => {
    assert.equal(totals.p95Ms, 9_000);
  });
  it('find the effects of one ticket', () => {
    assert.equal(effectsOf('a', stats), 2);
  });
  it('are zero for a column without calls', () => {
    assert.equal(totalsOf([], calm).retryAmplification, 0);
  });
});

describe('the links into the UI', () => {
  const column = {
    id: 'holdfast',
    title: 'holdfast',
    workflowType: 'agentTask',
    workers: 'holdfast',
    startOptions: () => ({ taskQueue: 'holdfast', workflowId: 'a', args: [] }),
  } as const;
  const links = (ends: readonly TicketEnd[]) =>
    linksInto('http://ui', { column, ends, stats: calm, totals: totalsOf(ends, calm) });

  it('show two tickets where the most retried one is degraded and another one too', () => {
    const degraded = { degraded: ['classify'] };
    const found = links([end('a', { ...degraded, retries: 3 }), end('b', degraded)]);
    assert.match(found.retried ?? '', /workflows\/a\/run/);
    assert.match(found.degraded ?? '', /workflows\/b\/run/);
  });
  it('show no ticket as degraded that got no answer', () => {
    const failed = end('a', { degraded: ['classify'], outcome: 'failed' });
    assert.equal(links([failed]).degraded, null);
  });
  it('have the slowest ticket where none is degraded', () => {
    const found = links([end('a', { retries: 1 }), end('b', { durationMs: 9_000 })]);
    assert.equal(found.degraded, null);
    assert.match(found.slowest ?? '', /workflows\/b\/run/);
  });
});
