import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { askerOf, type OpenLimiterFixture, patient, withLimiter } from './limiter-fixture.js';

/** Waits: their length, their ends, and requests that are none. */
export function describeWaits(open: OpenLimiterFixture): void {
  describe('lets requests wait', () => {
    it(
      'apart by the pace, if that is wanted',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { requestsPerMinute: 6, pace: true });
        await admit();
        const second = await later();
        const third = await later();
        assert.ok(second.waitMs > 5_000 && second.waitMs <= 10_000, `${second.waitMs} ms`);
        assert.ok(third.waitMs > 15_000 && third.waitMs <= 20_000, `${third.waitMs} ms`);
        await fixture.elapse(10_000);
        await admit({ ticket: second.ticket });
        await later({ ticket: third.ticket });
        await fixture.elapse(10_000);
        await admit({ ticket: third.ticket });
      }),
    );

    it(
      'as long as their callers wait, and no longer for one that comes back early',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { tokensPerMinute: 100 });
        await admit({ tokens: 41 });
        const late = await later({ tokens: 60 });
        const early = await later({ tokens: 41 });
        await fixture.elapse(90_000); // the first has lost its place, and stands behind the second
        const again = await later({ tokens: 60, ticket: late.ticket });
        assert.ok(again.waitMs > 80_000, `${again.waitMs} ms`);
        await admit({ tokens: 41, ticket: early.ticket });
        await later({ tokens: 60, ticket: late.ticket });
        const last = await later({ tokens: 41 });
        assert.ok(last.waitMs > 119_000 && last.waitMs <= 120_000, `${last.waitMs} ms`);
      }),
    );

    it(
      'not at all, who is aborted before it asks',
      withLimiter(open, async (fixture) => {
        const { ask, admit } = askerOf(fixture, { requestsPerMinute: 1 });
        const signal = AbortSignal.abort(new Error('too late'));
        await assert.rejects(ask({ signal }), { message: 'too late' });
        await admit();
      }),
    );

    it(
      'no longer than the limiter is open',
      withLimiter(open, async (fixture) => {
        const { ask, admit } = askerOf(fixture, { requestsPerMinute: 1 });
        await admit();
        const waiting = ask(patient);
        await fixture.queued(1);
        const ended = assert.rejects(waiting, { kind: 'limiter-unavailable' });
        await fixture.limiter.close();
        await ended;
        await assert.rejects(ask(), { kind: 'limiter-unavailable', operation: 'admit' });
        await fixture.limiter.close();
      }),
    );

    const wrong = [
      { field: 'tokens', wish: { tokens: -1 } },
      { field: 'tokens', wish: { tokens: 1.5 } },
      { field: 'tokens', wish: { tokens: Number.POSITIVE_INFINITY } },
      { field: 'maxWaitMs', wish: { maxWaitMs: Number.NaN } },
    ];
    for (const { field, wish } of wrong) {
      it(
        `never, for a wrong ${field}: ${Object.values(wish)}`,
        withLimiter(open, async (fixture) => {
          const { ask } = askerOf(fixture, { requestsPerMinute: 1 });
          await assert.rejects(ask(wish), { kind: 'invalid-request', field });
        }),
      );
    }

    it(
      'never, for figures that limit nothing sensible',
      withLimiter(open, async (fixture) => {
        for (const figures of [{ requestsPerMinute: 0 }, { tokensPerMinute: -5 }]) {
          const { ask } = askerOf(fixture, figures);
          await assert.rejects(ask(), {
            kind: 'invalid-request',
            field: `figures.${Object.keys(figures)[0]}`,
          });
        }
      }),
    );
  });
}
