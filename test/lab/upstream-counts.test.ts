import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCall, type RequestLog } from '../../src/lab/upstream/index.js';
import { untilStats, withUpstream } from './upstream-fixture.js';

describe('counts of the lab upstream', () => {
  it('counts attempts, statuses and budget headers for each call', async () => {
    const fault = { kind: 'status', status: 500, attempts: [1] } as const;
    await withUpstream({ faults: { refunds: { faults: [fault] } } }, async (upstream) => {
      const budget = (attempt: string, left: string): Record<string, string> => ({
        'Holdfast-Attempt': attempt,
        'Holdfast-Retries-Left': left,
        'Holdfast-Time-Left-Ms': '9000',
      });
      await upstream.refund({ key: 'k', headers: budget('1', '2') });
      await upstream.refund({ key: 'k', headers: budget('2', '1') });
      assert.deepEqual(findCall(upstream.stats(), 'k'), {
        route: 'refunds',
        id: 'k',
        keys: ['k'],
        attempts: 2,
        effects: 1,
        replays: 0,
        statuses: ['500', '201'],
        budgets: [
          { attempt: '1', retriesLeft: '2', timeLeftMs: '9000' },
          { attempt: '2', retriesLeft: '1', timeLeftMs: '9000' },
        ],
      });
    });
  });

  it('records what happened with its body, each time that it did', async () => {
    const honourKeys = false;
    await withUpstream({ honourKeys }, async (upstream) => {
      await upstream.refund({ key: 'k' });
      await upstream.refund({ key: 'k' });
      await upstream.post('/refunds', { orderId: 'ORD-9', amountCents: 1 });
      const paid = { route: 'refunds', body: { orderId: 'ORD-1003', amountCents: 1 } };
      assert.deepEqual(upstream.stats().effects, [paid, paid]);
    });
  });

  it('keeps a record of each request at /requests, with its attempt, its end and what it did', async () => {
    const fault = { kind: 'status', status: 500, at: 'after-effect', attempts: [1] } as const;
    await withUpstream({ faults: { refunds: { faults: [fault] } } }, async (upstream) => {
      await upstream.refund({ key: 'k' });
      await upstream.refund({ key: 'k' });
      const shown = (await (await upstream.get('/requests')).json()) as RequestLog; // what is served there
      assert.equal(shown.leftOut, 0);
      assert.deepEqual(
        shown.requests.map(({ callId, attempt, status, faults, hadEffect }) => ({
          callId,
          attempt,
          status,
          faults,
          hadEffect,
        })),
        [
          { callId: 'k', attempt: 1, status: '500', faults: ['status'], hadEffect: true },
          { callId: 'k', attempt: 2, status: '201', faults: [], hadEffect: false },
        ],
      );
    });
  });

  it('shows the same counts at /stats', async () => {
    await withUpstream({ seed: 5 }, async (upstream) => {
      await upstream.refund({ key: 'k' });
      await upstream.get('/orders/ORD-4000');
      const shown: unknown = await (await upstream.get('/stats')).json();
      assert.deepEqual(shown, JSON.parse(JSON.stringify(upstream.stats())));
      assert.deepEqual(upstream.stats().routes.lookup.statuses, { '404': 1 });
      assert.equal(upstream.stats().seed, 5);
    });
  });

  it('tells the most requests that were in flight at once', async () => {
    await withUpstream(
      { faults: { refunds: { faults: [{ kind: 'drop' }] } } },
      async (upstream) => {
        const client = new AbortController();
        const { signal } = client;
        const calls = [1, 2, 3].map(() => upstream.refund({ signal }));
        await untilStats(upstream, (s) => s.totals.inFlight === 3);
        client.abort();
        await Promise.allSettled(calls);
        await untilStats(upstream, (s) => s.totals.inFlight === 0);
        await upstream.get('/orders/ORD-1001');
        assert.equal(upstream.stats().totals.inFlightPeak, 3);
        assert.equal(upstream.stats().routes.lookup.inFlightPeak, 1);
      },
    );
  });

  it('forgets counts, attempts and keys on a reset', async () => {
    await withUpstream({}, async (upstream) => {
      await upstream.refund({ key: 'k' });
      assert.equal((await upstream.post('/reset', {})).status, 200);
      assert.equal(upstream.stats().totals.requests, 0);
      assert.deepEqual(upstream.stats().calls, []);
      const again = await upstream.refund({ key: 'k' });
      assert.equal(again.headers.get('idempotency-replayed'), null);
      assert.equal(findCall(upstream.stats(), 'k')?.attempts, 1);
    });
  });

  it('answers unknown orders, bad bodies, paths and methods with their status', async () => {
    await withUpstream({}, async (upstream) => {
      const rows = [
        { answer: upstream.get('/orders/ORD-1042'), status: 200 },
        { answer: upstream.get('/orders/ORD-1000'), status: 404 },
        { answer: upstream.get('/orders/%E0%A4%A'), status: 404 },
        { answer: upstream.post('/refunds', { orderId: 'ORD-9', amountCents: 1 }), status: 404 },
        { answer: upstream.post('/refunds', { orderId: 'ORD-1003' }), status: 422 },
        { answer: upstream.post('/refunds', '{'), status: 400 },
        { answer: upstream.post('/refunds', `"${'x'.repeat(5_000_000)}"`), status: 413 },
        { answer: upstream.post('/emails', { to: 'nobody' }), status: 422 },
        { answer: upstream.get('/refunds'), status: 405 },
        { answer: upstream.get('/constructor'), status: 404 },
        { answer: upstream.get('/health'), status: 200 },
      ];
      for (const { answer, status } of rows) assert.equal((await answer).status, status);
      assert.equal(upstream.stats().totals.effects, 0);
    });
  });
});
