import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  askerOf,
  minuteMs,
  type OpenLimiterFixture,
  patient,
  withLimiter,
} from './limiter-fixture.js';

/** The places in a queue, of those who wait there and of those who were told to come back. */
export function describeQueue(open: OpenLimiterFixture): void {
  describe('keeps places in its queue', () => {
    it(
      'for who comes back, before all who asked meanwhile',
      withLimiter(open, async (fixture) => {
        const { ask, admit, later } = askerOf(fixture, { requestsPerMinute: 1 });
        await admit();
        const { ticket, waitMs } = await later();
        const behind = ask(patient);
        await fixture.queued(2);
        await fixture.elapse(waitMs);
        await admit({ ticket });
        assert.equal((await later()).waitMs > minuteMs, true, 'two are before it');
        await fixture.elapse(minuteMs);
        assert.equal((await behind).kind, 'admitted');
      }),
    );

    it(
      "for nobody who will not come back: those behind don't wait for them",
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { requestsPerMinute: 1 });
        await admit();
        const near = await later({ comesBackWithinMs: 2 * minuteMs });
        for (let gone = 0; gone < 5; gone += 1) await later({ comesBackWithinMs: minuteMs });
        const next = await later();
        assert.ok(next.waitMs <= 2 * minuteMs, `${next.waitMs} ms`);
        await fixture.elapse(near.waitMs);
        await admit({ ticket: near.ticket });
        await fixture.elapse(minuteMs);
        await admit({ ticket: next.ticket });
      }),
    );

    it(
      'whose capacity nobody else gets while their caller is on the way back',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { tokensPerMinute: 100 });
        await admit({ tokens: 100 });
        const { ticket } = await later({ tokens: 70 });
        await fixture.elapse(minuteMs + 10_000);
        await later({ tokens: 40 });
        await admit({ tokens: 70, ticket });
      }),
    );

    it(
      'and lets nobody wait for who is away when there is room for both',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { tokensPerMinute: 100 });
        await admit({ tokens: 100 });
        const { ticket } = await later({ tokens: 70 });
        await fixture.elapse(minuteMs);
        await admit({ tokens: 30 });
        await admit({ tokens: 70, ticket });
      }),
    );

    it(
      'until half a minute after their time',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { requestsPerMinute: 1 });
        await admit();
        const { waitMs } = await later();
        await fixture.elapse(waitMs + 29_000);
        const { ticket } = await later();
        await fixture.elapse(1_001);
        await admit({ ticket });
      }),
    );

    it(
      'but none before others for who comes back later than that',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { requestsPerMinute: 1 });
        await admit();
        const late = await later();
        const behind = await later();
        await fixture.elapse(late.waitMs + 30_001);
        await later({ ticket: late.ticket });
        await admit({ ticket: behind.ticket });
      }),
    );

    it(
      'and gives a new one, the last, for a ticket that it does not know',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { requestsPerMinute: 1 });
        await admit();
        const first = await later();
        const stranger = await later({ ticket: 'of another limiter' });
        assert.equal(stranger.ticket, 'of another limiter');
        assert.ok(stranger.waitMs > minuteMs, 'the first one is before it');
        await fixture.elapse(first.waitMs);
        await admit({ ticket: first.ticket });
      }),
    );

    it(
      'for who asks for more than before, too',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { tokensPerMinute: 100 });
        await admit({ tokens: 100 });
        const { ticket } = await later({ tokens: 10 });
        await fixture.elapse(minuteMs);
        await admit({ tokens: 60 }); // beside the 10 that are kept
        await later({ tokens: 50, ticket });
        await fixture.elapse(minuteMs);
        await admit({ tokens: 50, ticket });
      }),
    );

    it(
      'in the order in which all asked',
      withLimiter(open, async (fixture) => {
        const { ask, admit } = askerOf(fixture, { requestsPerMinute: 1 });
        await admit();
        const order: number[] = [];
        const waiting: Promise<unknown>[] = [];
        for (const turn of [1, 2, 3]) {
          waiting.push(ask(patient).then(() => order.push(turn)));
          await fixture.queued(turn); // in turn: nobody looks for a length that the queue has passed already
        }
        for (const asked of waiting) {
          await fixture.elapse(minuteMs);
          await asked;
        }
        assert.deepEqual(order, [1, 2, 3]);
      }),
    );

    it(
      'and refuses a place that a lower limit can never serve, without holding up those behind',
      withLimiter(open, async (fixture) => {
        const wide = askerOf(fixture, { tokensPerMinute: 100 });
        await wide.admit({ tokens: 40 });
        const { ticket } = await wide.later({ tokens: 90 });
        const narrow = askerOf(fixture, { tokensPerMinute: 50 });
        await narrow.admit({ tokens: 10 });
        await assert.rejects(narrow.ask({ tokens: 90, ticket }), { kind: 'limit-exceeded' });
      }),
    );
  });
}
