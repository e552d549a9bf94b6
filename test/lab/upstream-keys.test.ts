import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findCall } from '../../src/lab/upstream/index.js';
import { failureCode, untilStats, withUpstream } from './upstream-fixture.js';

describe('idempotency keys at the lab upstream', () => {
  it('gives the stored answer for a key seen before and pays once', async () => {
    await withUpstream({}, async (upstream) => {
      const first = await upstream.refund({ key: 'k' });
      const again = await upstream.refund({ key: 'k' });
      assert.equal(first.headers.get('idempotency-replayed'), null);
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
      assert.equal(again.status, first.status);
      assert.deepEqual(await again.json(), await first.json());
      assert.equal(upstream.stats().totals.effects, 1);
      assert.equal(upstream.stats().totals.replays, 1);
    });
  });

  it('answers 409 while the first request under the key still runs', async () => {
    const delay = { ms: 3_600_000, attempts: [1] };
    await withUpstream({ faults: { refunds: { delay } } }, async (upstream) => {
      const first = failureCode(upstream.refund({ key: 'k' }));
      await untilStats(upstream, (s) => s.totals.faults.delay === 1);
      assert.equal((await upstream.refund({ key: 'k' })).status, 409);
      await upstream.stop();
      await first;
      assert.equal(upstream.stats().totals.effects, 0);
    });
  });

  it('answers 422 to a key that comes with another body', async () => {
    await withUpstream({}, async (upstream) => {
      await upstream.refund({ key: 'k', amountCents: 5 });
      assert.equal((await upstream.refund({ key: 'k', amountCents: 6 })).status, 422);
    });
  });

  it('takes a body with its fields in another order as the same body', async () => {
    await withUpstream({}, async (upstream) => {
      const headers = { 'idempotency-key': 'k' };
      await upstream.post('/refunds', { orderId: 'ORD-1003', amountCents: 5 }, headers);
      const again = await upstream.post(
        '/refunds',
        { amountCents: 5, orderId: 'ORD-1003' },
        headers,
      );
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
    });
  });

  it('replays the answer that a reset lost after the effect', async () => {
    const fault = { kind: 'reset', at: 'after-effect', attempts: [1] } as const;
    await withUpstream({ faults: { refunds: { faults: [fault] } } }, async (upstream) => {
      assert.equal(await failureCode(upstream.refund({ key: 'k' })), 'ECONNRESET');
      const again = await upstream.refund({ key: 'k' });
      assert.equal(again.headers.get('idempotency-replayed'), 'true');
      assert.equal(upstream.stats().totals.effects, 1);
    });
  });

  it('keeps a key free after a fault before the effect', async () => {
    const fault = { kind: 'status', status: 503, attempts: [1] } as const;
    await withUpstream({ faults: { refunds: { faults: [fault] } } }, async (upstream) => {
      await upstream.refund({ key: 'k' });
      const again = await upstream.refund({ key: 'k' });
      assert.equal(again.status, 201);
      assert.equal(again.headers.get('idempotency-replayed'), null);
    });
  });

  it('keeps a key free after a refused body', async () => {
    await withUpstream({}, async (upstream) => {
      assert.equal((await upstream.refund({ key: 'k', amountCents: 99_999 })).status, 422);
      assert.equal((await upstream.refund({ key: 'k', amountCents: 5 })).status, 201);
    });
  });

  it('keeps keys of refunds and of e-mails apart', async () => {
    await withUpstream({}, async (upstream) => {
      await upstream.refund({ key: 'k' });
      const mail = { to: 'someone@example.com', subject: 'Refund', body: 'It is on its way.' };
      const answer = await upstream.post('/emails', mail, { 'idempotency-key': 'k' });
      assert.equal(answer.status, 202);
    });
  });

  it('refuses a key of more than 255 characters', async () => {
    await withUpstream({}, async (upstream) => {
      assert.equal((await upstream.refund({ key: 'k'.repeat(255) })).status, 201);
      assert.equal((await upstream.refund({ key: 'k'.repeat(256) })).status, 400);
    });
  });

  it('pays each time and counts the doubles where keys are not honoured', async () => {
    await withUpstream({ honourKeys: false }, async (upstream) => {
      for (let n = 0; n < 3; n += 1) await upstream.refund({ key: 'k' });
      assert.equal(upstream.stats().totals.effects, 3);
      assert.equal(upstream.stats().totals.doubledEffects, 2);
      assert.equal(findCall(upstream.stats(), 'k')?.effects, 3);
    });
  });

  it('counts a double under one logical call that comes with a new key each time', async () => {
    await withUpstream({}, async (upstream) => {
      await upstream.refund({ call: 'ticket-1/refund', key: 'a' });
      await upstream.refund({ call: 'ticket-1/refund', key: 'b' });
      const call = findCall(upstream.stats(), 'ticket-1/refund');
      assert.deepEqual(call?.keys, ['a', 'b']);
      assert.equal(upstream.stats().totals.doubledEffects, 1);
    });
  });
});
