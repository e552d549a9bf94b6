import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  askerOf,
  minuteMs,
  type OpenLimiterFixture,
  patient,
  withLimiter,
} from './limiter-fixture.js';

/** What becomes of what was reserved. */
export function describeReservations(open: OpenLimiterFixture): void {
  describe('counts what was reserved', () => {
    it(
      'as what was used, where that was less',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { tokensPerMinute: 100 });
        const reservation = await admit({ tokens: 100 });
        await reservation.settle(30);
        await admit({ tokens: 70 });
        await later();
      }),
    );

    it(
      'as what was used, where that was more',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { tokensPerMinute: 100 });
        const reservation = await admit({ tokens: 10 });
        await reservation.settle(95);
        await later({ tokens: 6 });
      }),
    );

    it(
      'not at all where the request was never sent',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { requestsPerMinute: 1, tokensPerMinute: 100 });
        const reservation = await admit({ tokens: 100 });
        await reservation.release();
        await admit({ tokens: 100 });
        await later();
      }),
    );

    it(
      'once, by the end that was said first',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { requestsPerMinute: 3, tokensPerMinute: 100 });
        const settled = await admit({ tokens: 50 });
        await Promise.all([settled.settle(40), settled.release(), settled.settle(1)]);
        const released = await admit({ tokens: 60 });
        await released.release();
        await released.release();
        await released.settle(100);
        await admit({ tokens: 60 });
        await later();
      }),
    );

    it(
      'and lets who waits have what is given back',
      withLimiter(open, async (fixture) => {
        const { ask, admit } = askerOf(fixture, { tokensPerMinute: 100 });
        const reservation = await admit({ tokens: 90 });
        const waiting = ask({ tokens: 50, ...patient });
        await fixture.queued(1);
        await reservation.settle(50);
        assert.equal((await waiting).kind, 'admitted');
      }),
    );

    it(
      'and refuses a usage that is no number of tokens',
      withLimiter(open, async (fixture) => {
        const { admit } = askerOf(fixture, { tokensPerMinute: 100 });
        const reservation = await admit({ tokens: 90 });
        for (const tokens of [-1, 0.5, Number.NaN]) {
          await assert.rejects(reservation.settle(tokens), { kind: 'invalid-request' });
        }
        await reservation.settle(0);
        await admit({ tokens: 100 });
      }),
    );

    it(
      'apart for each downstream and tenant',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { requestsPerMinute: 1 });
        for (const tenant of [undefined, 'one', 'other']) {
          await admit({ ...(tenant === undefined ? {} : { tenant }) });
        }
        await later({ tenant: 'one' });
        const { limiter } = fixture;
        const figures = { requestsPerMinute: 1 };
        const other = { key: { downstream: 'mail' }, figures, tokens: 1, maxWaitMs: 0 };
        assert.equal((await limiter.admit(other)).kind, 'admitted');
      }),
    );

    it(
      'by the figures of the day: new ones hold from the next request on',
      withLimiter(open, async (fixture) => {
        const before = askerOf(fixture, { requestsPerMinute: 2 });
        await before.admit();
        await before.admit();
        const after = askerOf(fixture, { requestsPerMinute: 3 });
        await after.admit();
        await fixture.elapse(minuteMs);
        const fewer = askerOf(fixture, { requestsPerMinute: 1 });
        await fewer.admit();
        await fewer.later();
      }),
    );

    it(
      'nowhere, where there is no figure',
      withLimiter(open, async (fixture) => {
        const { admit } = askerOf(fixture, { pace: true });
        for (let request = 0; request < 1_000; request += 1) {
          await (await admit({ tokens: 1_000_000 })).settle(2_000_000);
        }
        const { later, admit: admitOne } = askerOf(fixture, { requestsPerMinute: 1 });
        await admitOne();
        await later();
      }),
    );
  });
}
