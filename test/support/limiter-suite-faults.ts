import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it, mock } from 'node:test';
import {
  askerOf,
  minuteMs,
  type OpenLimiterFixture,
  patient,
  withLimiter,
} from './limiter-fixture.js';

/** What rate limiters get wrong, by public reports. */
export function describeFaults(open: OpenLimiterFixture): void {
  describe('has none of the known faults', () => {
    it(
      'a request larger than the limit waits for ever and blocks those behind it: it is refused at once',
      withLimiter(open, async (fixture) => {
        const { ask, admit } = askerOf(fixture, { tokensPerMinute: 100 });
        await assert.rejects(ask({ tokens: 200, ...patient }), {
          kind: 'limit-exceeded',
          downstream: 'model',
          tokens: 200,
          tokensPerMinute: 100,
        });
        await admit({ tokens: 1 });
        await admit({ tokens: 99 });
      }),
    );

    it(
      'a window with fixed edges lets twice the limit through: no minute holds more than the limit',
      withLimiter(open, async (fixture) => {
        const { admit, kind } = askerOf(fixture, { requestsPerMinute: 5 });
        await admit();
        await fixture.elapse(minuteMs - 5_000);
        for (let request = 0; request < 4; request += 1) await admit();
        await fixture.elapse(5_001);
        const kinds: string[] = [];
        for (let request = 0; request < 5; request += 1) kinds.push(await kind());
        assert.deepEqual(kinds, ['admitted', 'later', 'later', 'later', 'later']);
      }),
    );

    it(
      'usage is charged after the response and concurrent calls all pass: it is reserved before',
      withLimiter(open, async (fixture) => {
        const { ask } = askerOf(fixture, { tokensPerMinute: 100 });
        const answers = await Promise.allSettled(
          [58, 80, 175, 175, 175].map((tokens) => ask({ tokens })),
        );
        const told = answers.map((answer) =>
          answer.status === 'fulfilled' ? answer.value.kind : answer.reason.kind,
        );
        // the two that fit alone don't fit together; which of them asked first is the network's to say
        assert.deepEqual(told.slice(0, 2).sort(), ['admitted', 'later']);
        assert.deepEqual(told.slice(2), ['limit-exceeded', 'limit-exceeded', 'limit-exceeded']);
      }),
    );

    it(
      'a refused request is charged: it costs nothing',
      withLimiter(open, async (fixture) => {
        const { ask, admit } = askerOf(fixture, { tokensPerMinute: 100 });
        await admit({ tokens: 90 });
        await assert.rejects(ask({ tokens: 101 }), { kind: 'limit-exceeded' });
        const gaveUp = new AbortController();
        const waiting = ask({ tokens: 50, signal: gaveUp.signal, ...patient });
        await fixture.queued(1);
        gaveUp.abort();
        await assert.rejects(waiting, { name: 'AbortError' });
        await fixture.queued(0);
        await admit({ tokens: 5 });
      }),
    );

    it(
      'requests are charged and lost while tokens are missing: both are charged in one step or none is',
      withLimiter(open, async (fixture) => {
        const tight = askerOf(fixture, { requestsPerMinute: 3, tokensPerMinute: 1 });
        await tight.admit();
        const { ticket } = await tight.later();
        const wide = askerOf(fixture, { requestsPerMinute: 3, tokensPerMinute: 100 });
        await wide.admit({ ticket });
        await wide.admit();
        await wide.later();
      }),
    );

    it(
      'a refund after its minute raises the limit: past its minute it changes nothing',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { tokensPerMinute: 100 });
        const settled = await admit({ tokens: 45 });
        const released = await admit({ tokens: 45 });
        await fixture.elapse(minuteMs);
        await admit({ tokens: 10 });
        await settled.settle(1);
        await released.release();
        await admit({ tokens: 90 });
        await later({ tokens: 1 });
      }),
    );

    it(
      'an abort leaks capacity or forgets what was spent: the waiter leaves at once, spent stays spent',
      withLimiter(open, async (fixture) => {
        const { ask, admit, kind } = askerOf(fixture, { requestsPerMinute: 2 });
        await admit();
        await admit();
        const gaveUp = Array.from({ length: 10 }, () => new AbortController());
        const waiting = gaveUp.map(({ signal }) => ask({ signal, ...patient }));
        await fixture.queued(10);
        for (const controller of gaveUp) controller.abort(new Error('nobody wants it'));
        for (const waiter of waiting) await assert.rejects(waiter, { message: 'nobody wants it' });
        for (const { signal } of gaveUp) assert.equal(getEventListeners(signal, 'abort').length, 0);
        await fixture.queued(0);
        const last = ask(patient);
        await fixture.queued(1);
        await fixture.elapse(minuteMs);
        assert.equal((await last).kind, 'admitted');
        assert.equal(await kind(), 'admitted', 'those who left took nothing along');
        assert.equal(await kind(), 'later');
      }),
    );

    it(
      'small requests starve a large one: nobody is admitted before who asked earlier',
      withLimiter(open, async (fixture) => {
        const { ask, admit, kind } = askerOf(fixture, { tokensPerMinute: 100 });
        await admit({ tokens: 50 });
        const large = ask({ tokens: 90, ...patient });
        await fixture.queued(1);
        const small = ask({ tokens: 10, ...patient });
        await fixture.queued(2);
        await fixture.elapse(minuteMs - 5_000);
        assert.equal(await kind({ tokens: 10 }), 'later', 'it would fit beside the 50');
        await fixture.elapse(5_000);
        assert.equal((await large).kind, 'admitted');
        assert.equal((await small).kind, 'admitted');
      }),
    );

    it(
      'a clock that is set back stops the limit or frees it: no clock of the machine is asked',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { requestsPerMinute: 1 });
        await admit();
        const real = Date.now;
        const clock = mock.method(Date, 'now', () => real() - 11_000);
        try {
          const { waitMs } = await later();
          assert.ok(waitMs <= minuteMs, `${waitMs} ms`);
          await fixture.elapse(minuteMs);
          clock.mock.mockImplementation(() => real() + 3_600_000);
          await later();
        } finally {
          clock.mock.restore();
        }
      }),
    );

    it(
      'the last request of a limit is wasted: with nine of ten used the tenth runs',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { requestsPerMinute: 10, tokensPerMinute: 10 });
        for (let request = 0; request < 10; request += 1) await admit();
        await later();
      }),
    );

    it(
      'a wait of nothing becomes a busy loop: every wait is above zero',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, { requestsPerMinute: 1 });
        await admit();
        const { ticket } = await later();
        await fixture.elapse(minuteMs - 1_000);
        const early = await later({ ticket });
        assert.ok(early.waitMs >= 1 && early.waitMs <= 1_000, `${early.waitMs} ms`);
        assert.equal(early.ticket, ticket);
      }),
    );

    it(
      'a second, longer wait keeps the end of the first one: the later end wins',
      withLimiter(open, async (fixture) => {
        const { admit, later } = askerOf(fixture, {
          requestsPerMinute: 60,
          tokensPerMinute: 100,
          pace: true,
        });
        await admit({ tokens: 100 });
        const { waitMs, ticket } = await later(); // its pace of a second is the first wait
        assert.ok(waitMs > 50_000 && waitMs <= minuteMs, `${waitMs} ms`);
        await fixture.elapse(1_000);
        await later({ ticket });
      }),
    );

    it(
      'a wait outlasts the activity it is in: past its longest wait the caller gets a ticket',
      withLimiter(open, async (fixture) => {
        const { admit, later, kind } = askerOf(fixture, { requestsPerMinute: 1 });
        await admit();
        const { waitMs, ticket } = await later({ maxWaitMs: 5_000 });
        assert.ok(waitMs > 5_000 && waitMs <= minuteMs, `${waitMs} ms`);
        await fixture.elapse(waitMs);
        assert.equal(await kind({ ticket }), 'admitted');
      }),
    );
  });
}
