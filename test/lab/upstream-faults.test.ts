import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FaultPlanInput, UpstreamOptions } from '../../src/lab/upstream/index.js';
import { failureCode, untilStats, withUpstream } from './upstream-fixture.js';

type Faults = NonNullable<NonNullable<FaultPlanInput['refunds']>['faults']>;
const onRefunds = (...faults: Faults): UpstreamOptions => ({ faults: { refunds: { faults } } });

describe('faults of the lab upstream', () => {
  const ends = [
    { at: 'before-effect', effects: 0 },
    { at: 'after-effect', effects: 1 },
  ] as const;
  for (const { at, effects } of ends) {
    it(`answers 503 with ${effects} effects ${at}`, async () => {
      await withUpstream(onRefunds({ kind: 'status', status: 503, at }), async (upstream) => {
        const answer = await upstream.refund({ key: 'a' });
        assert.equal(answer.status, 503);
        assert.equal(upstream.stats().totals.effects, effects);
      });
    });

    it(`resets the connection with ${effects} effects ${at}`, async () => {
      await withUpstream(onRefunds({ kind: 'reset', at }), async (upstream) => {
        assert.equal(await failureCode(upstream.refund({ key: 'a' })), 'ECONNRESET');
        assert.equal(upstream.stats().totals.effects, effects);
        assert.deepEqual(upstream.stats().routes.refunds.statuses, { reset: 1 });
      });
    });

    it(`leaves a dropped request open with ${effects} effects ${at}`, async () => {
      await withUpstream(onRefunds({ kind: 'drop', at }), async (upstream) => {
        const client = new AbortController();
        const call = upstream.refund({ key: 'a', signal: client.signal });
        const hanging = await untilStats(upstream, (s) => s.totals.statuses.dropped === 1);
        assert.equal(hanging.totals.inFlight, 1);
        assert.equal(hanging.totals.effects, effects);
        client.abort();
        await assert.rejects(call, { name: 'AbortError' });
        await untilStats(upstream, (s) => s.totals.inFlight === 0);
      });
    });
  }

  it('closes dropped connections when it stops', async () => {
    await withUpstream(onRefunds({ kind: 'drop' }), async (upstream) => {
      const call = failureCode(upstream.refund());
      await untilStats(upstream, (s) => s.totals.statuses.dropped === 1);
      await upstream.stop();
      assert.notEqual(await call, undefined);
    });
  });

  it('says in seconds, milliseconds or not at all when to come back after a 429', async () => {
    await withUpstream({}, async (upstream) => {
      const rows = [
        { hint: { form: 'seconds', waitMs: 1_500 }, header: 'retry-after', value: '1.5' },
        { hint: { form: 'milliseconds', waitMs: 250 }, header: 'retry-after-ms', value: '250' },
        { hint: { form: 'none' }, header: 'retry-after', value: null },
      ] as const;
      for (const { hint, header, value } of rows) {
        upstream.setFaults({ every: { faults: [{ kind: 'rate-limit', hint }] } });
        const answer = await upstream.refund();
        assert.equal(answer.status, 429);
        assert.equal(answer.headers.get(header), value);
      }
      assert.equal(upstream.stats().totals.effects, 0);
    });
  });

  it('says by an HTTP date when to come back, never earlier than the wait', async () => {
    const hint = { form: 'http-date', waitMs: 60_000 } as const;
    await withUpstream(onRefunds({ kind: 'rate-limit', hint }), async (upstream) => {
      const before = Date.now();
      const date = (await upstream.refund()).headers.get('retry-after') ?? '';
      assert.match(date, /^\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT$/u);
      assert.ok(Date.parse(date) >= before + 60_000);
    });
  });

  it('lets an effect land after its client has gone', async () => {
    const faults = { refunds: { delay: { ms: 400 } } };
    await withUpstream({ faults }, async (upstream) => {
      const client = new AbortController();
      const call = upstream.refund({ key: 'late', signal: client.signal });
      await untilStats(upstream, (s) => s.totals.faults.delay === 1);
      client.abort();
      await assert.rejects(call);
      const after = await untilStats(upstream, (s) => s.totals.effects === 1);
      assert.deepEqual(after.totals.statuses, { 'client-gone': 1 });
    });
  });

  it('has no effect for a request that waits while the server stops', async () => {
    const faults = { refunds: { delay: { ms: 3_600_000 } } };
    await withUpstream({ faults }, async (upstream) => {
      const call = failureCode(upstream.refund());
      await untilStats(upstream, (s) => s.totals.faults.delay === 1);
      await upstream.stop();
      await call;
      assert.equal(upstream.stats().totals.effects, 0);
    });
  });

  it('strikes only the attempts that a fault names', async () => {
    const fault = { kind: 'status', status: 500, attempts: [1, 3] } as const;
    await withUpstream(onRefunds(fault), async (upstream) => {
      const statuses: number[] = [];
      for (let n = 0; n < 4; n += 1) statuses.push((await upstream.refund({ call: 'x' })).status);
      assert.deepEqual(statuses, [500, 201, 500, 201]);
    });
  });

  it('keeps a route down for the requests of a window, counted since the faults were set', async () => {
    await withUpstream({}, async (upstream) => {
      await upstream.get('/orders/ORD-1001');
      const answer = await upstream.post('/faults', {
        lookup: { faults: [{ kind: 'status', status: 503, window: { after: 1, calls: 2 } }] },
      });
      assert.equal(answer.status, 200);
      const statuses: number[] = [];
      for (let n = 0; n < 4; n += 1) {
        statuses.push((await upstream.get('/orders/ORD-1001')).status);
      }
      assert.deepEqual(statuses, [200, 503, 503, 200]);
    });
  });

  it('refuses a faulty plan at run time and keeps the old one', async () => {
    await withUpstream(onRefunds({ kind: 'status', status: 502 }), async (upstream) => {
      const answer = await upstream.post('/faults', { refunds: { faults: [{ kind: 'flood' }] } });
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), /faults\.refunds\.faults\[0\]\.kind must be/u);
      assert.equal((await upstream.refund()).status, 502);
    });
  });
});
