import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMemoryLimiter } from '../../src/limits/memory-limiter.js';
import { askerOf, minuteMs, patient } from '../support/limiter-fixture.js';
import { memoryFixture } from '../support/limiter-fixtures.js';
import { describeLimiter } from '../support/limiter-suite.js';
import { createManualClock } from '../support/manual-clock.js';

describeLimiter('memory', async () => memoryFixture());

describe('a limiter in memory', () => {
  it('needs one timer for a crowd that waits, however many keys it waits for', async () => {
    const clock = createManualClock();
    const limiter = createMemoryLimiter(clock);
    const waiting = Array.from({ length: 5_000 }, (_, index) =>
      limiter.admit({
        key: { downstream: 'model', tenant: `tenant-${index % 100}` },
        figures: { requestsPerMinute: 5 },
        tokens: 1,
        ...patient,
      }),
    );
    assert.equal(clock.timers(), 1);
    await clock.elapse(9 * minuteMs);
    const answers = await Promise.all(waiting);
    assert.ok(answers.every(({ kind }) => kind === 'admitted'));
    assert.equal(clock.timers(), 0);
  });

  it('sets no timer for who was told to come back', async () => {
    const clock = createManualClock();
    const limiter = createMemoryLimiter(clock);
    const { admit, later } = askerOf({ limiter }, { requestsPerMinute: 1 });
    await admit();
    await later();
    assert.equal(clock.timers(), 0);
  });

  it('admits at the very millisecond in which there is room', async () => {
    const fixture = memoryFixture();
    const { ask, admit, later } = askerOf(fixture, { requestsPerMinute: 1 });
    await admit();
    await fixture.elapse(minuteMs - 1);
    const waiting = ask(patient);
    const behind = await later();
    assert.equal(behind.waitMs, minuteMs + 1);
    await fixture.elapse(1);
    assert.equal((await waiting).kind, 'admitted');
    await fixture.elapse(minuteMs);
    await admit({ ticket: behind.ticket });
  });

  it('sends away who waits when its time is over, and keeps its place', async () => {
    const fixture = memoryFixture();
    const { ask, admit, later } = askerOf(fixture, { tokensPerMinute: 100 });
    await admit({ tokens: 50 });
    await fixture.elapse(30_000);
    const second = await admit({ tokens: 20 });
    const waiting = ask({ tokens: 60, maxWaitMs: 40_000 }); // until the 50 are forgotten: 30 seconds
    await second.settle(60);
    await fixture.elapse(40_000);
    const told = await waiting;
    assert.deepEqual(told.kind === 'later' && told.waitMs, 20_000);
    const behind = await later({ tokens: 40 });
    await fixture.elapse(20_000);
    assert.equal(behind.waitMs, 20_000);
    await admit({ tokens: 40, ticket: behind.ticket });
    await admit({ tokens: 60, ...(told.kind === 'later' ? { ticket: told.ticket } : {}) });
  });

  it('goes by the real clock where none is handed in', async () => {
    const limiter = createMemoryLimiter();
    const { admit } = askerOf({ limiter }, { requestsPerMinute: 6_000, pace: true });
    for (let request = 0; request < 5; request += 1) await admit({ maxWaitMs: 5_000 });
    await limiter.close();
  });
});
